package import Postgres

/// The result of the statement `Spaces.claiming`, which takes sequence numbers for a push: the state of the space
/// before the statement, and the space's new head.
package struct SpaceClaim: Sendable {
    /// The state of the space before the push took its sequence numbers.
    package let state: SpaceState
    /// True if the database may contain clamped stamps of the space: replacements of stamps that were too far ahead of
    /// the server's clock. False if it certainly contains none.
    package let mayHaveClamps: Bool
    /// True if the database may contain stored results of changes in the space (see `Spaces.Judged`). False if it
    /// certainly contains none.
    package let mayHaveJudged: Bool
    /// True if the size of the space's largest record is known.
    package let isMeasured: Bool
    /// The space's head (its latest sequence number) after the push took its sequence numbers.
    package let head: Int64
    /// The size of the space and its limits, before the push took its sequence numbers.
    package let holding: SpaceHolding

    /// Parses the row that the command `Spaces.claiming` returned; `nil` if it returned none.
    package init?(_ rows: Rows) {
        guard rows.count > 0 else { return nil }
        state = SpaceState(rows, recordSize: 8)
        isMeasured = !rows.isNull(0, 8)
        mayHaveClamps = rows.bool(0, 9)
        head = rows.int(0, 10)
        mayHaveJudged = rows.bool(0, 11)
        holding = SpaceHolding(rows, first: 12)
    }
}
