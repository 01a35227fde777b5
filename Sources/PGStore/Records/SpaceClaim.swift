package import Postgres

/// The state that `Spaces.claiming` found in a space's row, and the new head.
package struct SpaceClaim: Sendable {
    /// The space's state before the claim.
    package let state: SpaceState
    /// True if there may be clamped stamps in the space.
    package let mayHaveClamps: Bool
    /// True if changes of the space may have been judged before, see `Spaces.Judged`.
    package let mayHaveJudged: Bool
    /// True if the space's records were ever measured.
    package let isMeasured: Bool
    /// The head of the space after the claim.
    package let head: Int64
    /// The counts of the space's records and bytes before the claim.
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
