import Postgres

/// The outcome of running a push once. Unless it is `done`, nothing was stored.
enum PushAttempt: Sendable {
    /// The push is stored. In a dry run, it was completed without an error and then rolled back.
    case done(Push.Outcome)
    /// Some changes cannot be applied: run the push again without them.
    case refused(Push.Refusal)
    /// A record that was inserted as new may exist already. Run the push again, and look for each record first.
    case insertConflict
    /// PostgreSQL does not accept what the push would write.
    case untaken(PGError)
    /// The result of a dry run for the isolation of faults: the records that PostgreSQL does not accept, each with the
    /// error.
    case isolated([WorkingSet.Key: PGError])
    /// The shared transaction was given up, because this push may not share it, another push in it failed, or another
    /// server held a lock: run this push again by itself.
    case interrupted
}
