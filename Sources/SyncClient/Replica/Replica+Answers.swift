import PlantedBugs
public import WireFormats

/// An answer that is not what the protocol promises.
public struct UnexpectedAnswer: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

extension Replica {
    /// Takes the answer to the request that is under way.
    ///
    /// - Parameters:
    ///   - answer: the JSON of a 200.
    ///   - here: what the device's clock shows, in milliseconds since 1970.
    /// - Throws: `UnexpectedAnswer`; then nothing is taken.
    public mutating func take(_ answer: JSONNode, of request: SyncRequest, here: Int64) throws -> SyncProgress {
        guard let text = answer["serverTime"]?.string, let time = try? Timestamp(text) else {
            throw UnexpectedAnswer("it has no ‘serverTime’")
        }
        clock.set(time, here: here)
        storage.memo.serverMilliseconds = time.microseconds / 1000
        limits.grow()
        var progress = SyncProgress()
        // Another process has moved the store on: what was read may be old, and what was sent is sent again.
        guard storage.memo.cursor == request.cursor, storage.memo.walk == request.walk else {
            progress.hasMore = true
            return progress
        }
        if request.kind == .offer {
            try storage.removeAside(request.offered)
            progress.hasMore = true
            return progress
        }
        if request.kind == .sync { try settle(request.places, answer, &progress) }
        try takePage(answer, &progress)
        if try !nextBatchIsEmpty { progress.hasMore = true }
        return progress
    }

    // MARK: Verdicts

    /// Every verdict is final: the changes leave the outbox, and what took effect is what the server has.
    private mutating func settle(_ places: [Int64], _ answer: JSONNode, _ progress: inout SyncProgress) throws {
        guard let entries = answer["results"]?.elements else { throw UnexpectedAnswer("it has no ‘results’") }
        var results: [Int: PushResult] = [:]
        for entry in entries {
            guard let index = entry["index"]?.int64.flatMap({ Int(exactly: $0) }), places.indices.contains(index) else {
                throw UnexpectedAnswer("a result is about no change")
            }
            results[index] = try PushResult(entry)
        }
        var isReplaced = false
        let indices = Dictionary(uniqueKeysWithValues: places.enumerated().map { ($1, $0) })
        for change in try storage.takePending(places) {
            guard let index = indices[change.place] else { continue }
            let result = results[PlantedClientBug.verdictsShifted.isPlanted ? index + 1 : index] ?? PushResult()
            progress.sent += 1
            progress.entities.insert(change.key.entity)
            if let verdict = result.conflict {
                try note(verdict, change, code: result.code, detail: result.detail, kept: result.kept)
                progress.conflicts += 1
            }
            if result.takesEffect { try apply(change, result) }
            storage.memo.standing = max(storage.memo.standing, result.stamp ?? change.stamp)
            if result.stamp != nil {
                isReplaced = true
                storage.memo.replacedUpTo = max(storage.memo.replacedUpTo, change.stamp)
            }
        }
        // The clock was ahead: it is set back, but not behind what stands or still waits.
        if isReplaced {
            let standing = PlantedClientBug.clockSetTooFarBack.isPlanted ? 0 : storage.memo.standing
            storage.memo.clock = max(standing, try storage.latestPendingStamp ?? 0)
        }
    }

    mutating func note(
        _ verdict: SyncConflict.Verdict, _ change: PendingChange, code: String?, detail: String?, kept: [String] = []
    ) throws {
        try storage.append(
            SyncConflict(
                number: 0, verdict: verdict, key: change.key, code: code, detail: detail, kept: kept,
                change: change.json))
    }

    private mutating func apply(_ change: PendingChange, _ result: PushResult) throws {
        // In another version's terms the store cannot take it; it is told with the next page.
        guard change.version == schema.header, let kind = schema.kinds[change.key.entity] else { return }
        let stamp = result.stamp ?? change.stamp
        let (fields, increments) = change.content(kind)
        var known = try storage.record(change.key)
        // What the server had forgotten it makes anew; what it had not, a page will tell.
        if change.operation == .create, storage.memo.isWalking, let record = known, record.walk < storage.memo.walk {
            known = nil
        }
        var record: KnownRecord
        switch (change.operation, known) {
        case (.delete, let known):
            record = KnownRecord(
                fields: nil, stamp: max(stamp, known?.stamp ?? 0), created: stamp,
                walk: known?.walk ?? storage.memo.walk)
            return try storage.put(change.key, record)
        case (_, let known?) where known.fields != nil: record = known
        case (.create, _):
            record = KnownRecord(
                fields: kind.beginning, stamp: stamp, created: stamp,
                stamps: Dictionary(uniqueKeysWithValues: kind.fields.map { ($0.name, 0) }), walk: storage.memo.walk)
        // The rest of it comes with a page.
        case (.update, _): return
        }
        // A whole record repeats its counters, and says nothing of them.
        let counters = change.operation == .update ? kind.counters : []
        let taken = fields.filter { !result.kept.contains($0.key) && !counters.contains($0.key) }
        for (name, value) in taken {
            record.fields?[name] = value
            record.absent[name] = nil
        }
        record.say(taken.keys, at: stamp)
        // What was counted before, a page tells.
        if result.verdict != "unchanged" {
            for (name, amount) in increments { record.fields?.add(amount, to: name) }
        }
        try storage.put(change.key, record)
    }

    // MARK: Pages

    private mutating func takePage(_ page: JSONNode, _ progress: inout SyncProgress) throws {
        guard let changes = page["changes"]?.elements, let cursor = page["cursor"]?.string,
            let more = page["more"]?.bool
        else { throw UnexpectedAnswer("a page lacks ‘changes’, ‘cursor’ or ‘more’") }
        for change in changes {
            let (key, record) = try record(change)
            storage.memo.standing = max(storage.memo.standing, record.stamp)
            storage.memo.clock = max(storage.memo.clock, record.stamp)
            progress.received += 1
            if PlantedClientBug.pageCutShort.isPlanted, progress.received == changes.count { continue }
            if PlantedClientBug.deletionsIgnored.isPlanted, record.fields == nil { continue }
            try storage.put(key, record)
            progress.entities.insert(key.entity)
        }
        storage.memo.cursor = cursor
        progress.hasMore = more
        if !more { try endReading(&progress) }
    }

    private mutating func endReading(_ progress: inout SyncProgress) throws {
        switch storage.memo.recovery {
        case .reading:
            // What did not come stays until it has been offered.
            storage.memo.recovery = .offering
            progress.hasMore = true
            return
        case .offering, .none: break
        }
        storage.memo.hasReadAll = true
        try storage.removeSettledOverlays(version: schema.header)
        guard storage.memo.isWalking else { return }
        if !PlantedClientBug.snapshotKeeps.isPlanted { try storage.removeRecords(before: storage.memo.walk) }
        storage.memo.isWalking = false
        progress.entities.formUnion(schema.kinds.keys)
    }

    private func record(_ node: JSONNode) throws -> (RecordKey, KnownRecord) {
        guard let name = node["entity"]?.string, let text = node["id"]?.string,
            let stamp = node["stamp"]?.int64, stamp >= 0, stamp <= Stamp.last.rawValue,
            let operation = node["op"]?.string
        else { throw UnexpectedAnswer("a record of a page lacks a member") }
        guard let kind = schema.kinds[name] else {
            throw UnexpectedAnswer("a \(name) was sent, which \(schema.header) does not know")
        }
        let key = RecordKey(entity: name, id: RecordID(text))
        if operation == "delete" {
            return (
                key,
                KnownRecord(
                    fields: nil, stamp: stamp, created: node["deleted"]?.int64 ?? 0, walk: storage.memo.walk)
            )
        }
        let fields: [String: Value]
        do throws(ValueReader.Failure) {
            fields = try node["fields"].map { (node) throws(ValueReader.Failure) in try kind.read(node) } ?? [:]
        } catch {
            throw UnexpectedAnswer("a \(name) was sent with a value that it cannot have: \(error)")
        }
        guard fields.count == kind.fields.count else {
            throw UnexpectedAnswer("a \(name) was sent without all of its attributes")
        }
        var record = KnownRecord(
            fields: fields, stamp: stamp, created: node["created"]?.int64 ?? stamp, walk: storage.memo.walk)
        if let stamps = node["stamps"]?.members {
            for member in stamps { record.stamps[member.key] = member.value.int64 }
        }
        if let absent = node["absent"], let targets = try? kind.read(absent) { record.absent = targets }
        return (key, record)
    }
}

/// What became of one change of a push.
private struct PushResult {
    var verdict = "applied"
    var kept: [String] = []
    var code: String?
    var detail: String?
    /// What counts instead of a stamp that was too far ahead.
    var stamp: Int64?

    init() {}

    init(_ node: JSONNode) throws {
        guard let verdict = node["verdict"]?.string else { throw UnexpectedAnswer("a result has no ‘verdict’") }
        self.verdict = verdict
        kept = node["kept"]?.elements?.compactMap(\.string) ?? []
        code = node["code"]?.string
        detail = node["detail"]?.string
        stamp = node["stamp"]?.int64
    }

    /// What the user should know of it.
    var conflict: SyncConflict.Verdict? { SyncConflict.Verdict(rawValue: verdict) }

    var takesEffect: Bool { !["rejected", "superseded"].contains(verdict) }
}
