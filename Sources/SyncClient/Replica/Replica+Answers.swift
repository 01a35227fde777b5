import PlantedBugs
package import StrictJSON
import WireFormats

extension Replica {
    /// Applies the server's answer to the request that is under way.
    ///
    /// - Parameters:
    ///   - answer: the JSON of an answer with status 200.
    ///   - here: the time of the device's clock, in milliseconds since 1970.
    /// - Throws: `UnexpectedAnswer`; then nothing of the answer is applied.
    package mutating func take(_ answer: JSONNode, of request: SyncRequest, here: Int64) throws -> SyncProgress {
        let answer = try ServerAnswer(answer, to: request, schema)
        clock.set(answer.time, here: here)
        storage.memo.serverMilliseconds = answer.milliseconds
        limits.grow()
        if cursorTrust == .doubted { cursorTrust = .good }
        var progress = SyncProgress()
        // Another process has moved the store on: the records in the answer may be old, and the changes are sent again.
        guard storage.memo.cursor == request.cursor, storage.memo.initialSync == request.initialSync else {
            progress.hasMore = true
            return progress
        }
        if request.kind == .offer {
            try storage.removeAside(request.offered)
            progress.hasMore = true
            return progress
        }
        let latest = DeviceClock.latestAccepted(at: answer.milliseconds)
        if request.kind == .sync { try settle(request.positions, answer.results, &progress) }
        if let page = answer.page { try take(page, latest, &progress) }
        if try !nextBatchIsEmpty { progress.hasMore = true }
        return progress
    }

    // MARK: Verdicts

    /// Removes pushed changes from the outbox, because every verdict of the server is final. Changes that took effect
    /// are applied to the device's copies of the server's records.
    ///
    /// - Parameters:
    ///   - positions: the positions in the outbox of the pushed changes, in the order of the push.
    ///   - results: the verdicts, by index in the push. A change without a verdict was applied.
    private mutating func settle(
        _ positions: [Int64], _ results: [Int: PushResult], _ progress: inout SyncProgress
    ) throws {
        let indices = Dictionary(positions.enumerated().map { ($1, $0) }) { first, _ in first }
        for change in try storage.takePending(positions) {
            guard let index = indices[change.position] else { continue }
            let result = results[PlantedClientBug.verdictsShifted.isPlanted ? index + 1 : index] ?? PushResult()
            progress.sent += 1
            progress.entities.insert(change.key.entity)
            if let verdict = result.conflict {
                try note(verdict, change, code: result.code, detail: result.detail, kept: result.kept)
                progress.conflicts += 1
            }
            if result.takesEffect { try apply(change, result) }
            let accepted = result.stamp ?? change.stamp
            storage.memo.latestAcceptedStamp = max(storage.memo.latestAcceptedStamp, accepted)
            // A stamp that the clock did not make, because it only follows those of the record, says nothing about the
            // clock.
            if result.stamp != nil, change.stamp <= storage.memo.clock {
                storage.memo.replacedUpTo = max(storage.memo.replacedUpTo, change.stamp)
            }
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
        // The store cannot apply a change of another version; the next page contains its effect.
        guard change.version == schema.header, let kind = schema.kinds[change.key.entity] else { return }
        let stamp = result.stamp ?? change.stamp
        let (fields, increments) = change.content(kind)
        var known = try storage.record(change.key)
        // A record that the server had forgotten is created anew; a page sends one that it had not forgotten.
        if change.operation == .create, storage.memo.isInitialSyncRunning, let record = known,
            record.initialSync < storage.memo.initialSync
        {
            known = nil
        }
        var record: KnownRecord
        switch (change.operation, known) {
        case (.delete, let known):
            record = KnownRecord(
                fields: nil, stamp: max(stamp, known?.stamp ?? 0), created: stamp,
                initialSync: known?.initialSync ?? storage.memo.initialSync)
            return try storage.put(change.key, record)
        case (_, let known?) where known.fields != nil: record = known
        case (.create, _):
            record = KnownRecord(
                fields: kind.beginning, stamp: stamp, created: stamp,
                stamps: Dictionary(uniqueKeysWithValues: kind.fields.map { ($0.name, 0) }),
                initialSync: storage.memo.initialSync)
        // A page sends the rest of the record.
        case (.update, _): return
        }
        // A whole record repeats its counters, which is no edit of them.
        let counters = change.operation == .update ? kind.counters : []
        let taken = fields.filter { !result.kept.contains($0.key) && !counters.contains($0.key) }
        for (name, value) in taken {
            record.fields?[name] = value
            record.absent[name] = nil
        }
        record.say(taken.keys, at: stamp)
        // If the increments had been counted before, a page sends the sum.
        if result.verdict != .unchanged {
            for (name, amount) in increments { record.fields?.add(amount, to: name) }
        }
        try storage.put(change.key, record)
    }

    // MARK: Pages

    private mutating func take(_ page: ServerAnswer.Page, _ latest: Int64, _ progress: inout SyncProgress) throws {
        for (key, record) in page.records {
            see(record.stamp, latest: latest)
            progress.received += 1
            if PlantedClientBug.pageCutShort.isPlanted, progress.received == page.records.count { continue }
            if PlantedClientBug.deletionsIgnored.isPlanted, record.fields == nil { continue }
            try storage.put(key, record)
            progress.entities.insert(key.entity)
        }
        storage.memo.cursor = page.cursor
        progress.hasMore = page.hasMore
        progress.isToBeRead = page.hasMore
        if page.hasMore { return }
        // Not before the end of reading: from a device that has not yet read the stamps by which its own were replaced,
        // the server takes further edits for ones made before that.
        if storage.memo.replacedUpTo > 0, storage.memo.clock >= storage.memo.replacedUpTo {
            try setClockBack(latest: latest)
        }
        try endReading(&progress)
    }

    private mutating func endReading(_ progress: inout SyncProgress) throws {
        switch storage.memo.recovery {
        case .reading:
            // Records that did not arrive stay until they have been offered.
            storage.memo.recovery = .offering
            progress.hasMore = true
            return
        case .offering, .none: break
        }
        storage.memo.hasReadAll = true
        try storage.removeSettledOverlays(version: schema.header)
        guard storage.memo.isInitialSyncRunning else { return }
        if !PlantedClientBug.snapshotKeeps.isPlanted { try storage.removeRecords(before: storage.memo.initialSync) }
        storage.memo.isInitialSyncRunning = false
        progress.entities.formUnion(schema.kinds.keys)
    }
}
