import PGStore
import WireFormats

/// The stage that measures by how much the push makes the space grow, and enforces the space's quotas.
extension PushContext {
    /// The unit in which the growth of a space in bytes is stored, 64 KiB.
    ///
    /// The growth of each push is rounded at random to a multiple of the unit, up or down, so that sums are right on
    /// average. A growth of a few bytes is mostly rounded to zero, and then the push need not write the space's row
    /// again.
    static let growthStepBytes = Int64(64 << 10)

    /// Measures the growth of the space by this push, in records and bytes.
    ///
    /// - Throws: `SyncError.quotaExceeded`, if the push makes the space grow beyond a quota.
    mutating func checkQuota() throws(SyncError) {
        let (holding, quotas) = (claim.holding, store.quotas)
        var growth = Spaces.Growth()
        for slot in work.indices {
            let entry = work[slot]
            let (isAlive, wasAlive) = (entry.state.isAlive, entry.wasAlive)
            // Only a record into which a change was merged has a size. The others are as they were, or came back.
            if isAlive == wasAlive, entry.sizeBytes == nil { continue }
            growth.records += (isAlive ? 1 : 0) - (wasAlive ? 1 : 0)
            growth.bytes += isAlive ? Int64(entry.sizeBytes ?? entry.state.sizeBytes) : 0
            growth.bytes -= wasAlive ? Int64(entry.before?.sizeBytes ?? 0) : 0
        }
        // Nobody has read the sizes of records that a cascade deleted.
        if deletedElsewhere > 0 {
            growth.records -= deletedElsewhere
            growth.isExact = false
            if let records = holding.records, let bytes = holding.bytes, records > 0 {
                growth.bytes -= min(bytes, (bytes / records).multipliedSaturating(by: deletedElsewhere))
            }
        }
        try check(holding.records, growth.records, most: holding.recordsMax ?? Int64(quotas.records), of: .records)
        try check(holding.bytes, growth.bytes, most: holding.bytesMax ?? Int64(quotas.bytes), of: .bytes)
        self.growth = growth
    }

    private func check(
        _ held: Int64?, _ growth: Int64, most: Int64, of quota: SyncError.Quota
    ) throws(SyncError) {
        // A push that leaves the space smaller, or as large as it was, is always accepted.
        guard let held, growth > 0, max(0, held).addingSaturating(growth) > most else { return }
        throw .quotaExceeded(quota, held: held, more: growth, most: most)
    }

    /// Rounds a number of bytes up or down to a multiple of `growthStepBytes`. The direction is random, so that sums
    /// are right on average.
    static func stepped(_ bytes: Int64, _ generator: inout some RandomNumberGenerator) -> Int64 {
        let rest = bytes.magnitude % UInt64(growthStepBytes)
        let isRoundedUp = UInt64.random(in: 0..<UInt64(growthStepBytes), using: &generator) < rest
        let whole = Int64(bytes.magnitude - rest) + (isRoundedUp ? growthStepBytes : 0)
        return bytes < 0 ? -whole : whole
    }
}
