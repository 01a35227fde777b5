import PGStore
import WireFormats

/// The stage that counts what the space holds more than before, and lets it have no more than it may.
struct Growing {
    let quotas: Quotas

    /// How finely bytes are counted: what is less than a step is a step with as much probability as it is one's part,
    /// so that sums are right and a push that edits a few bytes need not write the space's row once more.
    static let byteStep = Int64(64 << 10)

    /// What it has counted.
    ///
    /// - Throws: `SyncError.quotaExceeded`, where the push makes the space hold more, and more than it may.
    func grow(_ context: PushContext) throws(SyncError) -> Spaces.Growth {
        let holding = context.claim.holding
        var growth = Spaces.Growth()
        for place in context.work.indices {
            let entry = context.work[place]
            let (isAlive, wasAlive) = (entry.state.isAlive, entry.wasAlive)
            // Only what a change has been merged into has a size; the others are as they were, or came back.
            if isAlive == wasAlive, entry.sizeBytes == nil { continue }
            growth.records += (isAlive ? 1 : 0) - (wasAlive ? 1 : 0)
            growth.bytes += isAlive ? Int64(entry.sizeBytes ?? entry.state.sizeBytes) : 0
            growth.bytes -= wasAlive ? Int64(entry.before?.sizeBytes ?? 0) : 0
        }
        // Nobody has read how large those were that went along.
        if context.diedElsewhere > 0 {
            growth.records -= context.diedElsewhere
            growth.isExact = false
            if let records = holding.records, let bytes = holding.bytes, records > 0 {
                growth.bytes -= min(bytes, (bytes / records).multipliedSaturating(by: context.diedElsewhere))
            }
        }
        try check(holding.records, growth.records, most: holding.recordsMax ?? Int64(quotas.records), of: .records)
        try check(holding.bytes, growth.bytes, most: holding.bytesMax ?? Int64(quotas.bytes), of: .bytes)
        return growth
    }

    private func check(
        _ held: Int64?, _ growth: Int64, most: Int64, of quota: SyncError.Quota
    ) throws(SyncError) {
        // What makes it less is always taken, and so is what leaves it as it is.
        guard let held, growth > 0, max(0, held).addingSaturating(growth) > most else { return }
        throw .quotaExceeded(quota, held: held, more: growth, most: most)
    }

    /// Whole steps of these bytes.
    static func stepped(_ bytes: Int64, _ generator: inout some RandomNumberGenerator) -> Int64 {
        let rest = bytes.magnitude % UInt64(byteStep)
        let isRoundedUp = UInt64.random(in: 0..<UInt64(byteStep), using: &generator) < rest
        let whole = Int64(bytes.magnitude - rest) + (isRoundedUp ? byteStep : 0)
        return bytes < 0 ? -whole : whole
    }
}
