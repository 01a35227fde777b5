import PGStore
import WireFormats

/// Refuses a push that deletes a large share of its space without saying that it means to: a device whose store was
/// wiped, and which then compares it with what it had, is not a user who deletes.
package struct MassDeletions: Sendable {
    private let limits: Limits
    private let living: LivingCount

    /// What counts as one.
    package struct Limits: Sendable {
        /// How much of a space's living records one push may delete, in percent.
        package let shareMaxPercent: Int
        /// Half of everything is more than a person clears away at a time.
        package static let shareDefaultPercent = 50

        package init(shareMaxPercent: Int = shareDefaultPercent) {
            self.shareMaxPercent = shareMaxPercent
        }
    }

    /// Fewer deletions are never refused: a small space is emptied by hand.
    static let countMin = 20

    init(_ limits: Limits, tables: [RecordTable]) {
        self.limits = limits
        living = LivingCount(tables)
    }

    /// - Parameter deletions: places in the request.
    /// - Returns: a refusal of all of them; `nil` where they are not that many.
    /// - Throws: `PGError`.
    func refusal(of deletions: [Int], in space: ID, _ session: isolated Session) throws -> Push.Refusal? {
        guard deletions.count >= MassDeletions.countMin, limits.shareMaxPercent < 100 else { return nil }
        // With this many living records the share is just allowed.
        let enough = (deletions.count * 100 + limits.shareMaxPercent - 1) / limits.shareMaxPercent
        let count = try session.execute(living.counting(in: space, upTo: enough)).number
        if count >= enough { return nil }
        let rejection = Rejection(
            code: .massDeletion,
            detail: "The push deletes \(deletions.count) of the space's \(count) records. If that is what the user "
                + "did, send it with \"intent\": \"mass-deletion\"; if the store was lost, pull without a cursor.")
        return Push.Refusal(rejections: Dictionary(uniqueKeysWithValues: deletions.map { ($0, rejection) }))
    }
}
