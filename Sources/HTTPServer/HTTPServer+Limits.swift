internal import Glibc

extension HTTPServer {
    /// The server's limits. A request over a limit is refused clearly and never stalls.
    package struct Limits: Sendable {
        /// The maximum size of a request's content as received, in bytes; more is 413. A push of 1,000 changes of a few
        /// kilobytes fits.
        package var bodySizeMaxBytes = 8 * 1024 * 1024

        /// The maximum size of a request's decompressed content, in bytes; more is 413. JSON shrinks up to tenfold, a
        /// decompression bomb a thousandfold. A limit of four times the largest received body admits honest clients,
        /// and ends the decompression of a bomb early.
        package var decompressedSizeMaxBytes = 32 * 1024 * 1024

        /// The maximum total size of all contents in memory at once, in bytes: received and decompressed bodies, and
        /// responses of more than 64 KiB until clients have received them. A request that would exceed it is answered
        /// with 503. So memory is bounded, whatever the number of connections.
        package var bufferedSizeMaxBytes = 256 * 1024 * 1024

        /// The part of `bufferedSizeMaxBytes` that one holder (the party that requests are charged to) may use, in
        /// bytes; more is 503. The default is a quarter. The largest request, 8 MiB that become 32 MiB, fits beside
        /// others of the same holder, and it takes four holders to use up the whole.
        package var bufferedPerHolderMaxBytes = 64 * 1024 * 1024

        /// The maximum size of the request line and header lines, in bytes; more is 431. Leaves room for a bearer token
        /// of a few kilobytes.
        package var headersSizeMaxBytes = 16 * 1024

        /// The maximum number of connections open at once, of about 32 KiB each. At this number, a new connection
        /// closes an old one: of the network with the most connections, the one that has waited longest. Only
        /// connections that wait for a request or belong to an unauthenticated client are closed this way. If there are
        /// none, the new connection is closed as soon as it is accepted.
        package var connectionsMax = 4096

        /// The maximum number of connections open at once from one network: an IPv4 address, or the /64 of an IPv6
        /// address, because one host can use all of a /64. At this number, a new connection closes an old one of the
        /// same network, chosen as for `connectionsMax`. `nil` for no limit, which is right behind a proxy.
        package var connectionsPerAddressMax: Int?

        /// The maximum number of streaming responses at once, in addition to `connectionsMax`; one more is 503. Each
        /// takes a descriptor and about a kilobyte. Ten thousand devices may have streams open, and half as many more
        /// while another server restarts and its devices connect to this one.
        package var streamsMax = 15_000

        /// The number of `streamsMax` that one holder (the party that requests are charged to) may have open; more is
        /// 503. A user has about ten devices, and the backend of an app some hundred behind it. If all of a holder's
        /// streams listen to one space that changes all the time, they cause 20,000 small writes a second.
        package var streamsPerHolderMax = 1_000

        /// The time without data after which a stream sends its heartbeat. Proxies commonly cut a connection that is
        /// silent for 60 s, so two heartbeats fit. A heartbeat also finds a client that was lost without closing its
        /// connection.
        package var heartbeatInterval: Duration = .seconds(25)

        /// The maximum number of requests at once that `respond` works on or that wait until it may; one more is 503
        /// with `Retry-After: 1`. This is several times the number that the database answers in parallel, so that a
        /// short burst waits and a long one is turned away.
        package var inFlightMax = 256

        /// The number of `inFlightMax` that one holder (the party that requests are charged to) may have; more is 503.
        /// The default is a quarter. Some hundred devices with one token seldom have as many requests at once, and it
        /// takes four holders to use up the whole.
        package var inFlightPerHolderMax = 64

        /// The maximum total weight of the requests of one holder (the party that they are charged to) that run at the
        /// same time. Its other requests wait. A short request has the weight 1, a long one `longRequestWeight`. The
        /// default is half of the database's sessions, so that one holder never uses them all.
        package var turnsPerHolderMax = 8

        /// The same maximum as `turnsPerHolderMax`, for the time in which several holders send requests. The default is
        /// half of the number of processors. Measured on two processors, with one token's subject that pushed as fast
        /// as it could: with eight of its requests at a time, the 99th percentile of another subject's latency grew
        /// seven times; with two 2.0 to 2.6 times, and with one 1.2 to 2.2 times.
        package var sharedTurnsPerHolderMax = max(1, min(8, sysconf(CInt(_SC_NPROCESSORS_ONLN)) / 2))

        /// The weight of a long request (one with a large or compressed body) towards `turnsPerHolderMax`: such a
        /// request takes milliseconds of a processor or more. With the default, two long requests of a holder run at a
        /// time, or one where there are fewer than four processors. On two processors with two at a time, a holder that
        /// did its worst made others wait twice as long.
        package var longRequestWeight = sysconf(CInt(_SC_NPROCESSORS_ONLN)) < 4 ? 8 : 4

        /// The longest time that a request may wait until its holder (the party that it is charged to) has few enough
        /// requests running. A request that has waited longer is answered with 503 when it could start. The limit is as
        /// long as the wait for a database session: by then the client has given up or soon will.
        package var turnWaitMax: Duration = .seconds(5)

        /// The longest time that a connection may wait for its next request line, and the longest time without a byte
        /// in either direction. It is longer than a balancer's usual keep-alive of 60 s, so that the balancer closes
        /// first.
        package var idleTimeout: Duration = .seconds(65)

        /// The longest time from a request's first line to its last byte; over it is 408. The largest body passes at
        /// 2.2 Mbit/s.
        package var receiveTimeout: Duration = .seconds(30)

        /// The longest time that sending may take: from the answer until the kernel accepts its last byte, or between
        /// two bytes of a stream. After it the connection is cut.
        package var sendTimeout: Duration = .seconds(120)

        /// The longest time that `stop()` waits for requests in flight. A supervisor commonly kills a process after 10
        /// s or more.
        package var stopGrace: Duration = .seconds(8)

        package init() {}
    }
}
