import SyncModel
import WireFormats

/// The records that each device has read, according to the server's answers. They show whether a device had a record's
/// current state when it sent a change (`docs/internals/cursors.md`, *Holding*).
///
/// A device has a record's current state if it received the record with its present sequence number. In two cases the
/// answers do not show whether a device has it: the device has pushed a change of the record, or its cursor was used in
/// another version. Then the judge follows both possibilities.
struct Readings {
    private struct Reading {
        /// The version in which the device read its latest page; `nil` if it has read none.
        var version: Int?
        /// False after an update of the app, until a pull in the new version is complete.
        var isOfOneVersion = true
        /// For each record, the sequence number that the server sent with it last.
        var numbers: [ID: Int64] = [:]
        /// The ids of the records that the device has pushed since it received them.
        var pushed: Set<ID> = []
    }

    /// The records that devices with a cursor have read. The key is the cursor's text, because all devices with the
    /// same cursor have read the same records.
    private var readings: [String: Reading] = [:]

    private func reading(_ cursor: String?) -> Reading {
        cursor.flatMap { readings[$0] } ?? Reading()
    }

    /// Returns true if a pull with a cursor continues from it in this version; false if the server lets the device read
    /// everything from the beginning.
    ///
    /// - Parameter reading: the records that were read up to the cursor.
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

    /// Adds the records of a page to those that were read before it. The result is stored for the cursor in the answer.
    ///
    /// - Parameters:
    ///   - cursor: the cursor in the request; `nil` for the first page.
    ///   - changes: the changes that the same request pushed before it pulled.
    ///   - next: the cursor in the answer.
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

/// A client that reads the sequence numbers and stamps of all records, so that the simulation can compare them with
/// those that devices have received. It sends no `Device-Id`.
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
    /// Reads the sequence numbers of all records just before a push is sent. A device has a record's current state if
    /// it received the record with the same number.
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

    /// Reads the server's records, and removes the models that differ from them. At least one model must agree.
    ///
    /// There are several models if a device sent a value back, and it is unknown whether it had the record's current
    /// state. So this ends the uncertainty about the space's content.
    func settleDoubts(using random: inout SplitMix64) throws {
        let served = plan.shapes.indices.filter { isServed($0) }
        for version in judge.doubtful(among: Array(served)) {
            try judge.learn(try read(Observer(version: version), using: &random).store, in: version)
        }
    }
}
