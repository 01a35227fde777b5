import SyncModel
import WireFormats

/// The records that each cursor shows its device to hold (`docs/internals/cursors.md`, *Holding*), as far as answers
/// reveal it.
///
/// A device holds a record if the number in the pages behind its cursor is the record's current number. It also holds a
/// record that it pushed since, by requests whose answers went into the cursor, if the push left the record as the
/// device has it. The answers do not show that, nor do they show what is held while the cursor moves from one version
/// to another. In these cases it is unknown, and the judge follows both possibilities where they make a difference.
struct Readings {
    private struct Reading {
        /// The version in which the pages were read.
        var version: Int?
        /// True if all pages were read in one version, or the paging that another version began has ended.
        var isOfOneVersion = true
        /// The number that was sent with each record.
        var numbers: [ID: Int64] = [:]
        /// The records that were pushed after they were received.
        var pushed: Set<ID> = []
    }

    /// Readings by the cursor's text. Two devices with the same cursor hold the same.
    private var readings: [String: Reading] = [:]

    private func reading(_ cursor: String?) -> Reading {
        cursor.flatMap { readings[$0] } ?? Reading()
    }

    /// True if a pull in `version` continues from the reading's cursor (R9).
    private func goesOn(_ reading: Reading, in version: Int, _ plan: Plan) -> Bool {
        guard let before = reading.version, before != version else { return true }
        return reading.isOfOneVersion && plan.isUpdate(from: before, to: version)
    }

    mutating func push(_ ids: [ID], from cursor: String?, to next: String, in version: Int, _ plan: Plan) {
        var reading = reading(cursor)
        if !goesOn(reading, in: version, plan) { reading = Reading() }
        reading.pushed.formUnion(ids)
        // If the push changed nothing, the cursor may be the same.
        if let known = readings[next] { reading.pushed.formUnion(known.pushed) }
        readings[next] = reading
    }

    /// Adds a page to the reading of a cursor.
    ///
    /// - Parameter changes: the changes that the same request pushed.
    mutating func page(
        _ page: PageReply, from cursor: String?, pushing changes: [Change]?, to next: String, in version: Int,
        _ plan: Plan
    ) {
        var reading = reading(cursor)
        if !goesOn(reading, in: version, plan) { reading = Reading() }
        reading.pushed.formUnion((changes ?? []).map(\.key.id))
        if let before = reading.version, before != version { reading.isOfOneVersion = false }
        reading.version = version
        if !page.more { reading.isOfOneVersion = true }
        for record in page.records {
            reading.numbers[record.key.id] = record.seq
            reading.pushed.remove(record.key.id)
        }
        if let known = readings[next] {
            reading.pushed.formUnion(known.pushed.filter { reading.numbers[$0] == known.numbers[$0] })
        }
        readings[next] = reading
    }

    /// True if the device of a request held a record; `nil` if unknown.
    ///
    /// - Parameter numbers: the numbers of all records of the version when the request arrived.
    func isHeld(_ change: Change, of request: Request, numbers: [ID: Int64]?, _ plan: Plan) -> Bool? {
        let id = change.key.id
        let (cursor, version) = (request.cursor, request.version)
        guard let numbers else { return nil }
        // No device has read a record that an earlier change of the same push makes. But another version may see it.
        guard let number = numbers[id] else { return change.version == request.version ? false : nil }
        guard let cursor else { return false }
        guard let reading = readings[cursor] else { return nil }
        if !goesOn(reading, in: version, plan) { return false }
        if reading.version == nil { return reading.pushed.contains(id) ? nil : false }
        guard reading.isOfOneVersion, reading.version == version else { return nil }
        if reading.numbers[id] == number { return true }
        return reading.pushed.contains(id) ? nil : false
    }
}

/// A client without a `Device-Id` that follows the numbers of all records.
struct NumberReader {
    private(set) var cursor: String?
    private(set) var numbers: [ID: Int64] = [:]
    /// The latest stamp of each record.
    private(set) var stamps: [ID: Stamp] = [:]

    mutating func take(_ page: PageReply) {
        for record in page.records {
            numbers[record.key.id] = record.seq
            stamps[record.key.id] = record.stamp
        }
        cursor = page.cursor
    }
}

extension Episode {
    /// Reads the numbers that a device may hold, before its push is merged alone.
    func readNumbers(in version: Int) throws {
        try read(&numberReaders[version, default: NumberReader()], in: version)
        numbersBefore = numberReaders[version]?.numbers
    }

    func read(_ reader: inout NumberReader, in version: Int) throws {
        while true {
            let bytes = route.bytes(
                SpaceAction.changes, header: vocabulary(version).header, device: nil, cursor: reader.cursor, limit: nil,
                withStamps: true, body: nil)
            let page = try page(try answer(to: bytes), in: version)
            reader.take(page)
            if !page.more { return }
        }
    }

    /// Resolves doubts if a device may or may not have held a value that it repeated: the server's current records show
    /// which is true, and it counts from then on. In a run of one request at a time, as most are, it must be one of the
    /// two.
    func settleDoubts(using random: inout SplitMix64) throws {
        let served = plan.shapes.indices.filter { isServed($0) }
        for version in judge.doubtful(among: Array(served)) {
            try judge.learn(try read(Observer(version: version), using: &random).store, in: version)
        }
    }
}
