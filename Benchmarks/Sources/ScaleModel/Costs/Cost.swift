/// Measured costs of the server and of PostgreSQL, in seconds of one core. Each names its source. The programs shared
/// two cores, so each is somewhat higher than on machines of their own.
enum Cost {
    private static let microsecond = 1e-6

    /// The server's part of a push of one edit: workload W2, “today”, in docs/performance.md, 26 November 2026.
    static let pushServer = 213 * microsecond
    /// PostgreSQL's part of a push of one edit: workload W2, “today”, in docs/performance.md, 26 November 2026.
    static let pushDatabase = 211 * microsecond

    /// The server's part of a poll: workload W4, “today”, in docs/performance.md, 26 November 2026.
    static let pollServer = 101 * microsecond
    /// PostgreSQL's part of a poll: workload W4, “today”, in docs/performance.md, 26 November 2026.
    static let pollDatabase = 35 * microsecond

    /// The server's part of a pull that finds edits: twice W5's average request, less the push of W2, in
    /// docs/performance.md, 26 November 2026. It pulls ten records, and W5's push is dearer than W2's: an upper bound.
    static let pullServer = 2 * 283 * microsecond - pushServer
    /// PostgreSQL's part of a pull that finds edits, computed as `pullServer` is.
    static let pullDatabase = 2 * 364 * microsecond - pushDatabase

    /// Routing and admitting a request, 9 to 11 µs in docs/performance.md, 26 November 2026: the cost of one that is
    /// then refused with 503 or 429.
    static let refusalServer = 11 * microsecond

    /// One open event stream for one second: 10,000 took 0.6 s of processor time in a minute, with two heartbeats each
    /// (docs/performance.md, “The cost of a listener”, which states no date; a debug build).
    static let streamServerPerSecond = 0.6 / 60 / 10_000
    /// One event that is sent to one listener, with the client that receives it: in W10, 19,653 events a second took
    /// as much of two cores as (87,346 − 73,494) / 100 pushes of W1 (docs/performance.md, 26 November 2026). A push of
    /// W1 takes 613 µs of the server, 1,175 µs of PostgreSQL and 60 µs of the client.
    static let eventServer = (87_346.0 - 73_494) / 100 * (613 + 1_175 + 60) * microsecond / 19_653

    /// The pause between two pushes of 100 records into one space, in which neither works in PostgreSQL: 0.3 to 0.4 ms
    /// (docs/performance.md, “Writers of one space”, 26 November 2026).
    static let lockPause = 0.35e-3

    /// PostgreSQL's statement of a poll: 18.2 µs (docs/decisions/0034-mark-buckets-instead-of-locking-them.md,
    /// 29 November 2026).
    static let pollStatementDatabase = 18.2 * microsecond
    /// One new row in a push of 100: W1's 1,175 µs of PostgreSQL (docs/performance.md, 26 November 2026).
    static let newRowDatabase = 1_175 * microsecond / 100
    /// One row whose values PostgreSQL digests at the end of a move (docs/scaling.md, 29 November 2026).
    static let digestRowDatabase = 3.7 * microsecond

    /// The disk space of a record with its indexes, in bytes (docs/performance.md, “The size of a row on disk”,
    /// which states no date).
    static let recordBytes = 530.0
    /// The write-ahead log of a push of one edit, in bytes: 41 GiB a day for 40 million (docs/operations.md, “Sizing”,
    /// which states no date).
    static let pushLogBytes = 1100.0
    /// The records that eight clients pushed in a second in W1 (docs/performance.md, 26 November 2026).
    static let pushedRecordsPerSecond = 103_822.0
}
