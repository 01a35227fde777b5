package import Postgres

/// The state that `Spaces.claiming` (the statement that takes sequence numbers for a push) found in a space's row, and
/// the new head.
package struct SpaceClaim: Sendable {
    /// The space's state before the sequence numbers were taken.
    package let state: SpaceState
    /// True if the database may have replaced stamps of the space, which were too far ahead of the server's clock;
    /// false if it certainly has none.
    package let mayHaveClamps: Bool
    /// True if the database may have stored verdicts on changes of the space (see `Spaces.Judged`); false if it
    /// certainly has none.
    package let mayHaveJudged: Bool
    /// True if the size of the space's largest record is known.
    package let isMeasured: Bool
    /// The head of the space (its latest sequence number) after the sequence numbers were taken.
    package let head: Int64
    /// The number of the space's records, their size, and the limits for both, before the sequence numbers were taken.
    package let holding: SpaceHolding

    /// Parses the row that the command `Spaces.claiming` returned.
    package init(_ rows: Rows) {
        state = SpaceState(rows, rights: 15, recordSize: 6)
        isMeasured = !rows.isNull(0, 6)
        mayHaveClamps = rows.bool(0, 7)
        head = rows.int(0, 8)
        mayHaveJudged = rows.bool(0, 9)
        holding = SpaceHolding(rows, first: 10)
    }
}
