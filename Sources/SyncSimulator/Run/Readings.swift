import SyncModel
import WireFormats

/// The records that a device holds (has in their current state), by its cursor, as far as the server's answers reveal
/// it (`docs/internals/cursors.md`, *Holding*).
///
/// A device holds a record if the sequence number that it last received with the record is still the record's number.
/// It also holds a record that it has pushed since, if the cursor covers the push, and if the push left the record in
/// the state that the device has. The answers do not reveal this second case. Nor do they reveal what a device holds
/// while its cursor moves from one version to another. In these cases the judge follows both possibilities where they
/// make a difference.
struct Readings {
    private struct Reading {
        /// The version in which the latest page was read; `nil` if none was read.
        var version: Int?
        /// True if all pages were read in one version, or if the latest pull, which began in another version, is
        /// complete.
        var isOfOneVersion = true
        /// For each record, the sequence number that the server sent with it last.
        var numbers: [ID: Int64] = [:]
        /// The ids of the records that the device has pushed since it received them.
        var pushed: Set<ID> = []
    }

    /// The records that a device with each cursor has read, by the cursor's text. Two devices with the same cursor hold
    /// the same records.
    private var readings: [String: Reading] = [:]

    private func reading(_ cursor: String?) -> Reading {
        cursor.flatMap { readings[$0] } ?? Reading()
    }

    /// Returns true if a pull in `version` may continue from a cursor (rule R9), instead of starting from the
    /// beginning.
    ///
    /// - Parameter reading: the records that were read up to that cursor.
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

    /// Adds the records of a page to those that were read up to the request's cursor.
    ///
    /// - Parameters:
    ///   - cursor: the request's cursor; `nil` for the first page.
    ///   - changes: the changes that the same request pushed before it pulled.
    ///   - next: the page's cursor, by which the result is stored.
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

    /// Returns true if the device of a request held a change's record (had its current state); `nil` if that is
    /// unknown.
    ///
    /// - Parameter numbers: the sequence numbers of all records in the version when the request arrived; `nil` if they
    ///   are unknown.
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

/// A client without a `Device-Id` that reads the sequence numbers of all records.
struct NumberReader {
    private(set) var cursor: String?
    private(set) var numbers: [ID: Int64] = [:]
    /// The latest stamp of each record, as the server sent it.
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
    /// Reads the sequence numbers of all records just before a push is sent. By comparison with the numbers that the
    /// device has received, they show which records it holds (has in their current state).
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

    /// Ends uncertainty about the space's content. It arises if a device sent a value again, and may or may not have
    /// held the record (had its current state). The server's current records show which is true, and the model keeps
    /// only that possibility.
    ///
    /// Where requests are sent one at a time, one of the two possibilities must match.
    func settleDoubts(using random: inout SplitMix64) throws {
        let served = plan.shapes.indices.filter { isServed($0) }
        for version in judge.doubtful(among: Array(served)) {
            try judge.learn(try read(Observer(version: version), using: &random).store, in: version)
        }
    }
}
