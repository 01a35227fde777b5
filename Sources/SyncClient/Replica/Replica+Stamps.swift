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

    /// Records a stamp that the server has accepted. The device's clock is set to the stamp, but at most to `latest`.
    ///
    /// - Parameter latest: the latest stamp that a correct server can have accepted, see `DeviceClock.latestAccepted`.
    mutating func see(_ stamp: Int64, latest: Int64) {
        storage.memo.latestAcceptedStamp = max(storage.memo.latestAcceptedStamp, stamp)
        storage.memo.clock = max(storage.memo.clock, min(stamp, latest))
    }

    /// Sets back a clock that was ahead, but not to before the latest accepted stamp (at most `latest`), nor to before
    /// the latest stamp of a change that still waits.
    mutating func setClockBack(latest: Int64) throws {
        if PlantedClientBug.clockSetTooFarBack.isPlanted { storage.memo.latestAcceptedStamp = 0 }
        let bound = min(storage.memo.latestAcceptedStamp, latest)
        storage.memo.clock = min(storage.memo.clock, max(bound, try storage.latestPendingStamp ?? 0))
    }

    /// Repairs a clock that is so far ahead that no later stamp exists. (Earlier releases accepted any stamp in an
    /// answer.) Edits that were made with such a clock and are still in the outbox get new stamps, in their order,
    /// because by their old stamps the server could not determine which of them is the latest.
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
    /// Returns the change's JSON with another stamp; `nil` if the JSON cannot be parsed.
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
