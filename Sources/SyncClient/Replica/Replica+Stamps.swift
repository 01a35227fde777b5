import PlantedBugs
import StrictJSON
import WireFormats

/// Functions for the stamps of edits, and for the device's clock that makes them.
extension Replica {
    /// Returns the stamp of an edit that is made now. It is later than every stamp that this device has made, and than
    /// every stamp of the record that the device knows.
    mutating func nextStamp(of key: RecordKey, here: Int64) throws -> Int64 {
        try recoverClock(here: here)
        let stamp = clock.stamp(after: storage.memo, here: here)
        storage.memo.clock = stamp
        guard storage.memo.latestAcceptedStamp > stamp else { return stamp }
        // The latest accepted stamp is later than the clock may be. Only edits of the record that has that stamp get a
        // later one.
        let said = max(
            try storage.record(key)?.stamp ?? 0, try storage.pending(of: key).map(\.stamp).max() ?? 0)
        guard said >= stamp, said < Stamp.last.rawValue else { return stamp }
        storage.memo.latestAcceptedStamp = max(storage.memo.latestAcceptedStamp, said + 1)
        return said + 1
    }

    /// Records a stamp that the server has accepted. If the device's clock is earlier, it is set to the stamp, but not
    /// beyond `latest`.
    ///
    /// - Parameter latest: the latest stamp that a correct server can have accepted, from `DeviceClock.latestAccepted`.
    mutating func see(_ stamp: Int64, latest: Int64) {
        storage.memo.latestAcceptedStamp = max(storage.memo.latestAcceptedStamp, stamp)
        storage.memo.clock = max(storage.memo.clock, min(stamp, latest))
    }

    /// Sets the device's clock back after the server has replaced stamps that were too far ahead.
    ///
    /// The clock is never set to a time before the latest stamp in the outbox. The same holds for the latest accepted
    /// stamp, unless that stamp is later than `latest`.
    ///
    /// - Parameter latest: the latest stamp that a correct server can have accepted, from `DeviceClock.latestAccepted`.
    mutating func setClockBack(latest: Int64) throws {
        if PlantedClientBug.clockSetTooFarBack.isPlanted { storage.memo.latestAcceptedStamp = 0 }
        let bound = min(storage.memo.latestAcceptedStamp, latest)
        storage.memo.clock = min(storage.memo.clock, max(bound, try storage.latestPendingStamp ?? 0))
    }

    /// Repairs a clock whose value is not in the range from 0 to `DeviceClock.stampMax`, because an earlier release
    /// accepted any stamp in an answer. Edits in the outbox with such stamps get new stamps, in their order. By the old
    /// stamps the server could not determine which edit is the latest.
    mutating func recoverClock(here: Int64?) throws {
        guard !(0...DeviceClock.stampMax).contains(storage.memo.clock) else { return }
        let pending = try storage.pending(first: .max)
        let (good, absurd) = (
            pending.filter { (0...DeviceClock.stampMax).contains($0.stamp) },
            pending.filter { !(0...DeviceClock.stampMax).contains($0.stamp) }
        )
        let now = here.map { clock.milliseconds($0) } ?? DeviceClock.bounded(storage.memo.serverMilliseconds)
        storage.memo.clock = max(Stamp(milliseconds: now).rawValue, good.map(\.stamp).max() ?? 0)
        storage.memo.latestAcceptedStamp = min(max(storage.memo.latestAcceptedStamp, 0), Stamp.last.rawValue)
        storage.memo.replacedUpTo = 0
        for change in try storage.takePending(absurd.map(\.position)) {
            storage.memo.clock += 1
            let json = change.restamped(storage.memo.clock)
            try storage.append(
                change.key, change.operation, stamp: json == nil ? change.stamp : storage.memo.clock,
                version: change.version, json: json ?? change.json, isMassDeletion: change.isMassDeletion)
        }
    }
}

extension PendingChange {
    /// Returns the change's JSON with `stamp` in place of the change's own stamp; `nil` if the JSON cannot be parsed.
    fileprivate func restamped(_ stamp: Int64) -> String? {
        guard let members = (try? JSONDocument(parsing: json))?.root.members else { return nil }
        return JSONWriter.text { writer in
            writer.beginObject()
            for member in members where !member.hasKey(BodyMember.stamp) {
                writer.key(member.key)
                writer.canonical(member.value)
            }
            writer.member(BodyMember.stamp, stamp)
            writer.endObject()
        }
    }
}
