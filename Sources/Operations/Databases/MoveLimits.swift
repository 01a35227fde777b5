package import PGStore

/// The limits of a move of some buckets from one database to another.
package struct MoveLimits: Sendable {
    /// The longest time that the spaces are without a database in one attempt to switch. After that, the
    /// source serves them again.
    package var pauseMax = Duration.seconds(10)
    /// The largest number of attempts to switch.
    package var attemptsMax = 3
    /// The time between two checks of progress, while the source serves the spaces.
    package var interval = Duration.milliseconds(200)
    /// The time between two checks in the pause.
    package var pauseInterval = Duration.milliseconds(5)
    /// The target is in step if a change arrives within this time. Only then is the source asked to stop.
    package var lagMax = Duration.seconds(1)
    /// The most rows that one statement deletes.
    package var deletedMax = 5_000
    /// The number of failed attempts of PostgreSQL to copy a table, or to apply changes, after which a move gives up.
    package var failuresMax: Int64 = 3

    package init() {}
}

/// The progress of a move.
package enum MoveEvent: Sendable, Hashable {
    case began(SpaceMove.Step)
    /// PostgreSQL has copied some of the tables, and is in step with their changes.
    case copied(tables: Int64, of: Int64)
    /// The target is behind the source.
    case behind(Duration)
    /// The source has stopped serving the spaces.
    case paused
    /// The source serves the spaces again, because something took too long.
    case gaveUp(waitingFor: String)
    /// All rows are equal in the two databases.
    case compared(rows: Int64, tables: Int)
    /// The target serves the spaces, after the given time without a database.
    case opened(Duration)
    /// Rows were deleted in the source, or in the target after a move was undone.
    case deleted(rows: Int64)
}
