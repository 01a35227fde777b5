import Postgres

/// The outcome of running a push once. Unless it is `done`, nothing was stored.
enum PushAttempt: Sendable {
    /// The push is stored; in a dry run, it would have been.
    case done(Push.Outcome)
    /// Some changes cannot be applied: run the push again without them.
    case refused(Push.Refusal)
    /// An optimistic insert failed, perhaps because the record exists: run the push again, looking for each record.
    case insertConflict
    /// PostgreSQL does not accept what the push would write.
    case untaken(PGError)
    /// The result of an isolation run: the records that PostgreSQL does not accept, each with the error.
    case isolated([WorkingSet.Key: PGError])
    /// Another push of the same transaction failed: run this push again by itself.
    case interrupted
}
