package import Postgres

/// The state that `Spaces.claiming` found in a space's row, and the new head.
package struct SpaceClaim: Sendable {
    /// The space's state before the claim.
    package let state: SpaceState
    /// True if the space may have stored replacements of stamps that were too far ahead; false if it has none.
    package let mayHaveClamps: Bool
    /// True if verdicts on changes of the space may be stored, see `Spaces.Judged`; false if there are none.
    package let mayHaveJudged: Bool
    /// True if the size of the space's largest record is known.
    package let isMeasured: Bool
    /// The head of the space after the claim.
    package let head: Int64
    /// The space's records and bytes, and their limits, before the claim.
    package let holding: SpaceHolding

    /// - Parameter rows: one row, as `Spaces.claiming` returns it.
    package init(_ rows: Rows) {
        state = SpaceState(rows, rights: 15, recordSize: 6)
        isMeasured = !rows.isNull(0, 6)
        mayHaveClamps = rows.bool(0, 7)
        head = rows.int(0, 8)
        mayHaveJudged = rows.bool(0, 9)
        holding = SpaceHolding(rows, first: 10)
    }
}
