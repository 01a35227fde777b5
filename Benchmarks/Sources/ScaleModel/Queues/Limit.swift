/// Limits of the server and of the client library, from the tables in docs/protocol.md and docs/client.md.
enum Limit {
    /// The most event streams of a server.
    static let streamsPerServer = 15_000
    /// The most requests in progress of a server; a further one gets 503 with `Retry-After: 1`.
    static let inFlightPerServer = 256
    /// The pause, in seconds, that a 503 of an overloaded server asks for.
    static let overloadedPauseSeconds = 1.0
    /// The most sessions of a server in one database.
    static let sessionsPerServer = 20.0
    /// The time for which the result of a token's look-up is used, in seconds.
    static let tokenRememberedSeconds = 5.0
    /// The pause between a server's announcements of changed spaces, in seconds.
    static let announcementSeconds = 0.05
    /// The size of a line of an announcement, in bytes: a payload of 7,900 bytes names about 150 spaces.
    static let announcedSpaceBytes = 7_900.0 / 150
    /// The time between two reviews of all streams, in seconds.
    static let reviewSeconds = 30.0
    /// The most spaces, or tokens, in one statement of a review.
    static let reviewedMax = 2_000
    /// The requests to one space that a server process accepts in a second, and at once after a pause.
    static let spaceRate = (perSecond: 200.0, burst: 4_000.0)
    /// The most pushes that wait for one space.
    static let pushesWaiting = 64
    /// The number of buckets, each of which one database serves.
    static let buckets = 256.0
    /// The longest time for which `database move` leaves a bucket unserved, in seconds, unless `--pause-max` is given.
    static let movePauseSeconds = 10.0
    /// The first and the longest pause of a device that cannot reach the server, in seconds.
    static let retryPauseSeconds = (first: 0.5, longest: 60.0)
    /// The silence, in seconds, after which a device gives up a request.
    static let clientPatienceSeconds = 60.0
}
