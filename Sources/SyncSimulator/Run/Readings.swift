import SyncModel
import WireFormats

/// What each cursor says that its device holds (`docs/architecture.md`, *Holding*), as far as answers show it.
///
/// A device holds a record if the number with which the pages behind its cursor told of it is the one that the record
/// still has. What was pushed since, by requests whose answers went into the cursor, it holds too where the push left
/// the record as the device has it; that the answers do not show, and nor do they while the cursor goes over from one
/// version to another. There it is not known, and the judge takes both for possible where it makes a difference.
struct Readings {
    private struct Reading {
        /// The version in which the pages were read.
        var version: Int?
        /// Whether they were read in one version, or the walk from another has ended.
        var isOfOneVersion = true
        /// By record: the number that it was told with.
        var numbers: [ID: Int64] = [:]
        /// What was pushed after it was told.
        var pushed: Set<ID> = []
    }

    /// By the cursor's text. Whoever gets the same text twice holds the same.
    private var readings: [String: Reading] = [:]

    private func reading(_ cursor: String?) -> Reading {
        cursor.flatMap { readings[$0] } ?? Reading()
    }

    /// Whether a pull in `version` goes on from there (R9).
    private func goesOn(_ reading: Reading, in version: Int, _ plan: Plan) -> Bool {
        guard let before = reading.version, before != version else { return true }
        return reading.isOfOneVersion && plan.isUpdate(from: before, to: version)
    }

    mutating func push(_ ids: [ID], from cursor: String?, to next: String, in version: Int, _ plan: Plan) {
        var reading = reading(cursor)
        if !goesOn(reading, in: version, plan) { reading = Reading() }
        reading.pushed.formUnion(ids)
        // Where the push was no news the cursor may be the same.
        if let known = readings[next] { reading.pushed.formUnion(known.pushed) }
        readings[next] = reading
    }

    /// - Parameter changes: what the request pushed besides.
    mutating func page(
        _ page: PageAnswer, from cursor: String?, pushing changes: [Change]?, to next: String, in version: Int,
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

    /// Whether the device of a request held a record; `nil` where that is not known.
    ///
    /// - Parameter numbers: those of all records that the version has, when the request came.
    func isHeld(_ change: Change, of request: Request, numbers: [ID: Int64]?, _ plan: Plan) -> Bool? {
        let id = change.key.id
        let (cursor, version) = (request.cursor, request.version)
        guard let numbers else { return nil }
        // What an earlier change of the same push makes, nobody has read. But perhaps another version sees it.
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

/// Somebody who reads along for the sake of the numbers, without a `Device-Id`.
struct NumberReader {
    private(set) var cursor: String?
    private(set) var numbers: [ID: Int64] = [:]
    /// The latest of each record.
    private(set) var stamps: [ID: Stamp] = [:]

    mutating func take(_ page: PageAnswer) {
        for record in page.records {
            numbers[record.key.id] = record.seq
            stamps[record.key.id] = record.stamp
        }
        cursor = page.cursor
    }
}

extension Episode {
    /// Before a push that is merged alone: the numbers that its device may hold.
    func readNumbers(in version: Int) throws {
        try read(&numberReaders[version, default: NumberReader()], in: version)
        numbersBefore = numberReaders[version]?.numbers
    }

    func read(_ reader: inout NumberReader, in version: Int) throws {
        while true {
            let bytes = route.bytes(
                "changes", header: vocabulary(version).header, device: nil, cursor: reader.cursor, limit: nil,
                withStamps: true, body: nil)
            let page = try page(try answer(to: bytes), in: version)
            reader.take(page)
            if !page.more { return }
        }
    }

    /// Where a device may have held what it repeated, or not, what the server now says tells which: it is gone by from
    /// then on. In a run of one request at a time, which most are, it had to be one of the two.
    func settleDoubts(using random: inout SplitMix64) throws {
        let served = plan.shapes.indices.filter { isServed($0) }
        for version in judge.doubtful(among: Array(served)) {
            try judge.learn(try read(Observer(version: version), using: &random).store, in: version)
        }
    }
}
