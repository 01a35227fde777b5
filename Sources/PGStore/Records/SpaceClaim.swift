package import Postgres

/// What `Spaces.claiming` found in a space's row, and left there.
package struct SpaceClaim: Sendable {
    /// As it was before.
    package let state: SpaceState
    /// Whether stamps of the space may have been brought back.
    package let mayHaveClamps: Bool
    /// Whether changes of the space may have been judged before, see `Spaces.Judged`.
    package let mayHaveJudged: Bool
    /// Whether the space's records were ever measured.
    package let isMeasured: Bool
    /// The head that the row has now.
    package let head: Int64
    /// What the space held before.
    package let holding: SpaceHolding

    /// - Parameter rows: one, as `Spaces.claiming` returns it.
    package init(_ rows: Rows) {
        state = SpaceState(rows, rights: 15, recordSize: 6)
        isMeasured = !rows.isNull(0, 6)
        mayHaveClamps = rows.bool(0, 7)
        head = rows.int(0, 8)
        mayHaveJudged = rows.bool(0, 9)
        holding = SpaceHolding(rows, first: 10)
    }
}
