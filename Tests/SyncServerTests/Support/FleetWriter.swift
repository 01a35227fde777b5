import SyncModel
import SyncTestSupport
import WireFormats

/// One device of a fleet: edits records that all share, and sends every batch at least once, some of them late and
/// again.
struct FleetWriter: Sendable {
    let device: TestDevice
    let number: Int64
    let records: [ModelKey]
    let rounds: Int
    let seed: UInt64

    /// Sends all of its batches.
    ///
    /// - Returns: the changes, all acknowledged.
    func run() async throws -> [JSONValue] {
        var random = SplitMix64(seed: seed)
        var sent: [[JSONValue]] = []
        var clock: Int64 = 0
        for round in 0..<rounds {
            if Int.random(in: 0..<4, using: &random) == 0 { try await device.pullPage(limit: 3) }
            var batch: [JSONValue] = []
            for index in 0..<Int.random(in: 1...5, using: &random) {
                let milliseconds = Int64(round * 8 + index) * 64 + Int64.random(in: 0..<64, using: &random)
                clock = max(clock + 1, moment(milliseconds) >> 11, await device.latestSeen >> 11 + 1)
                batch.append(change(at: clock << 11 + number, &random))
            }
            try await device.push(batch)
            sent.append(batch)
            // Answers get lost, and old requests come again.
            while Int.random(in: 0..<3, using: &random) == 0, let again = sent.randomElement(using: &random) {
                try await device.send(again)
            }
        }
        for batch in sent.shuffled(using: &random).prefix(rounds / 2) { try await device.send(batch) }
        return sent.flatMap(\.self)
    }

    /// Every stamp and every value exists once.
    private func change(at stamp: Int64, _ random: inout SplitMix64) -> JSONValue {
        let unique = stamp & 0xFFFF_FFFF_FFFF
        guard let record = visibleRecords.randomElement(using: &random) else { preconditionFailure("no records") }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .delete(record.entity, record.id, at: stamp)
        case 1...3: return .create(record.entity, record.id, fields(of: record, unique, &random), at: stamp)
        default: return .update(record.entity, record.id, fields(of: record, unique, &random), at: stamp)
        }
    }

    private var visibleRecords: [ModelKey] {
        records.filter { device.version != "0.0.3" || $0.entity == "SDProgressEntry" }
    }

    private func fields(
        of record: ModelKey, _ unique: Int64, _ random: inout SplitMix64
    ) -> [String: JSONValue] {
        var fields: [String: JSONValue] = [:]
        if record.entity == "SDProgressEntry" {
            fields = ["notes": .string("n\(unique)"), "type": .string("t\(unique)"), "quantity": .int(unique)]
            if device.version < "0.0.9" { fields["userID"] = .string("u\(unique)") }
        } else {
            fields = ["name": .string("n\(unique)"), "calories": .int(unique), "fat": .double(Double(unique) + 0.5)]
            fields["quantity"] = device.version < "0.0.8" ? .string("\(unique) g") : .int(unique)
        }
        // Some of them; what is linked goes together.
        fields = fields.filter { _ in Bool.random(using: &random) }
        if fields["quantity"]?.int != nil, record.entity == "SDMealLogItem" { fields["unit"] = "ml" }
        return fields
    }
}
