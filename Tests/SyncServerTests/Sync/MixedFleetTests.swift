import DemoApps
import SyncModel
import SyncTestSupport
import Testing
import WireFormats

/// Promises P1 to P4 together: devices of four versions in one space, at least once, in any order.
@Suite struct MixedFleetTests {
    private static let versions = ["0.0.3", "0.0.7", "0.0.8", "0.1.1"]

    @Test(
        "S1_11, S2_08, S5_14: a mixed fleet shares one space without gap, loss or echo",
        arguments: [1, 2, UInt64.random(in: 3 ... .max)])
    func mixedFleetSharesOneSpaceWithoutGapOrLossOrEcho(seed: UInt64) async throws {
        try await withTestServer { server in
            var random = SplitMix64(seed: seed)
            let records = (0..<24).map { index in
                ModelKey(
                    entity: index % 2 == 0 ? "SDProgressEntry" : "SDMealLogItem", id: .random(using: &random))
            }
            let writers = (0..<8).map { number in
                FleetWriter(
                    device: server.device(MixedFleetTests.versions[number % 4]), number: Int64(number),
                    records: records,
                    rounds: 20, seed: random.next())
            }
            let watcher = server.device("0.0.8")
            let over = Gate()
            async let watched = watch(watcher, until: over)
            var model = try SpaceModel(FitIQPlan.self)
            var written: [ModelKey: Set<String>] = [:]
            var said: [ModelKey: [String: Stamp]] = [:]
            var deleted: [ModelKey: Stamp] = [:]
            try await withThrowingTaskGroup(of: [ModelChange].self) { group in
                defer { over.open() }
                for writer in writers {
                    group.addTask {
                        let version = try #require(ShapeName(writer.device.version))
                        return try await writer.run().map { try ModelChange($0, in: version, server.plan) }
                    }
                }
                for try await changes in group {
                    for change in changes {
                        model.take(change)
                        let key = ModelKey(entity: change.entity, id: change.id)
                        written[key, default: []].formUnion(change.fields.keys)
                        let stamp = change.stamp ?? .never
                        for name in change.fields.keys {
                            said[key, default: [:]][name] = max(said[key]?[name] ?? .never, stamp)
                        }
                        if change.operation == .delete { deleted[key] = max(deleted[key] ?? .never, stamp) }
                    }
                }
            }
            // What was last said before a deletion is there or not, as whoever created the record again knew of that.
            for (key, stamp) in deleted {
                let open = said[key]?.filter { $0.value <= stamp }.keys.map(\.self) ?? []
                written[key]?.subtract(open.contains("quantity") ? open + ["unit"] : open)
            }
            let numbers = try await watched
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)

            for version in MixedFleetTests.versions {
                let expected = model.records(in: try #require(ShapeName(version)))
                let found = differences(of: try await server.view(version), from: expected, in: written)
                #expect(found == [], "seed \(seed), \(version)")
            }
            #expect(await watcher.store.withoutEmpty == (try await server.view("0.0.8")).withoutEmpty)
            for writer in writers {
                try await writer.device.pullAll(limit: 7)
                let fresh = try await server.view(writer.device.version)
                #expect(await writer.device.store.withoutEmpty == fresh.withoutEmpty, "seed \(seed), \(writer.number)")
            }
        }
    }

    /// In attributes that were written: in which order the server took the changes is not known, and what the others
    /// begin with depends on it.
    private func differences(
        of view: TestDevice.Store, from expected: [ModelKey: [String: Value]], in written: [ModelKey: Set<String>]
    ) -> [String] {
        written.flatMap { key, names -> [String] in
            guard let seen = view[key.entity]?[key.id.description], let values = expected[key] else {
                let isSeen = view[key.entity]?[key.id.description] != nil
                return isSeen == (expected[key] != nil) ? [] : ["\(key) is seen: \(isSeen)"]
            }
            return names.sorted().filter { values[$0].map { JSONValue($0) } != seen[$0] }.map {
                "\(key) \($0): \(seen[$0] ?? "nothing"), not \(values[$0] ?? .null)"
            }
        }
    }

    /// Pulls small pages as long as anybody writes, and then to the end.
    ///
    /// - Returns: the numbers of everything delivered, in order.
    private func watch(_ device: TestDevice, until over: Gate) async throws -> [Int64] {
        var numbers: [Int64] = []
        while !over.isOpen { numbers += try await device.pullPage(limit: 5).numbers }
        while true {
            let page = try await device.pullPage(limit: 5)
            numbers += page.numbers
            if !page.more { return numbers }
        }
    }
}

extension TestDevice.Store {
    /// Without entities of which nothing is left.
    var withoutEmpty: TestDevice.Store { filter { !$0.value.isEmpty } }
}
