internal import Glibc

extension HTTPServer {
    /// The server's limits. A request over a limit is refused clearly and never stalls.
    package struct Limits: Sendable {
        /// The maximum size of a request's content as received, in bytes. A larger request is answered with 413. A push
        /// of 1,000 changes of a few kilobytes fits.
        package var bodySizeMaxBytes = 8 * 1024 * 1024

        /// The maximum size of a request's decompressed content, in bytes. A larger request is answered with 413. JSON
        /// shrinks up to tenfold, a decompression bomb a thousandfold. A limit of four times the largest received body
        /// admits honest clients, and ends the decompression of a bomb early.
        package var decompressedSizeMaxBytes = 32 * 1024 * 1024

        /// The maximum total size of all contents in memory at once, in bytes: received and decompressed bodies, and
        /// responses of more than 64 KiB until clients have received them. A request that would exceed it is answered
        /// with 503. So memory is bounded, whatever the number of connections.
        package var bufferedSizeMaxBytes = 256 * 1024 * 1024

        /// The maximum size of all contents in memory of one holder (the party that requests are charged to), in bytes.
        /// A request over it is answered with 503. The default is a quarter of `bufferedSizeMaxBytes`, so that one
        /// holder cannot use up all of it. The largest request needs 40 MiB: 8 MiB as received, and 32 MiB
        /// decompressed.
        package var bufferedPerHolderMaxBytes = 64 * 1024 * 1024

        /// The maximum total size of the request line and the header lines, in bytes. A request over it is answered
        /// with 431. The default leaves room for a bearer token of a few kilobytes.
        package var headersSizeMaxBytes = 16 * 1024

        /// The maximum number of connections open at once. Each takes about 32 KiB. When one more arrives, an old
        /// connection is closed to make room. Only a connection that waits for a request, or that belongs to an
        /// unauthenticated client, may be closed. The server chooses the network with the most connections, and in it
        /// the connection that has waited longest. If no old connection may be closed, the new one is closed.
        package var connectionsMax = 4096

        /// The maximum number of open connections from one network: an IPv4 address, or the /64 of an IPv6 address,
        /// because one host can use all of a /64. When one more arrives, an old connection of the same network is
        /// closed to make room, as for `connectionsMax`. Behind a proxy use `nil` (no limit), because all connections
        /// come from the proxy's address.
        package var connectionsPerAddressMax: Int?

        /// The maximum number of streaming responses at once, in addition to `connectionsMax`. One more is answered
        /// with 503. Each takes a descriptor and about a kilobyte. The default is enough for the streams of ten
        /// thousand devices, and for five thousand more that connect while another server restarts.
        package var streamsMax = 15_000

        /// The maximum number of open streams of one holder (the party that requests are charged to). One more is
        /// answered with 503. A user has about ten devices, and the backend of an app has some hundred. If all streams
        /// of a holder report the same constantly changing data, they cause 20,000 small writes a second.
        package var streamsPerHolderMax = 1_000

        /// The time without data after which a stream sends its heartbeat. Proxies commonly cut a connection that is
        /// silent for 60 s; in this time a stream sends two heartbeats. A heartbeat also finds a client that was lost
        /// without closing its connection.
        package var heartbeatInterval: Duration = .seconds(25)

        /// The maximum number of requests in flight: those that `respond` works on, and those that wait for their turn.
        /// One more is answered with 503 and `Retry-After: 1`. The default is several times the number that the
        /// database answers in parallel. So a short burst waits, and a long one is turned away.
        package var inFlightMax = 256

        /// The maximum number of requests in flight of one holder (the party that requests are charged to). One more is
        /// answered with 503. The default is a quarter of `inFlightMax`, so that one holder cannot use up all of it.
        /// Even some hundred devices with one token seldom have as many requests at once.
        package var inFlightPerHolderMax = 64

        /// The maximum total weight of the requests of one holder (the party that they are charged to) that run at the
        /// same time. Further requests of the holder wait. A short request has the weight 1, a long one
        /// `longRequestWeight`. The default is half of the database's sessions, so that one holder never uses them all.
        package var turnsPerHolderMax = 8

        /// The maximum total weight of one holder's running requests while several holders (the parties that requests
        /// are charged to) send requests. It then replaces `turnsPerHolderMax`. The default is half of the number of
        /// processors, from 1 to 8.
        ///
        /// The default follows from a measurement on two processors. One holder sent pushes as fast as it could. With a
        /// maximum of 8, the 99th percentile of another holder's latency grew 7 times. With 2 it grew 2.0 to 2.6 times,
        /// and with 1 it grew 1.2 to 2.2 times.
        package var sharedTurnsPerHolderMax = max(1, min(8, sysconf(CInt(_SC_NPROCESSORS_ONLN)) / 2))

        /// The weight of a long request (one with a large or compressed body) towards `turnsPerHolderMax`. Such a
        /// request takes milliseconds of a processor or more. With the default, a holder has two long requests running
        /// at a time, or one if there are fewer than four processors. On two processors, two long requests at a time
        /// made other holders wait twice as long.
        package var longRequestWeight = sysconf(CInt(_SC_NPROCESSORS_ONLN)) < 4 ? 8 : 4

        /// The longest time that a request may wait until its holder (the party that it is charged to) has fewer
        /// requests running. A request that has waited longer is answered with 503 and not processed. The default is as
        /// long as the wait for a database session: by then the client has given up or soon will.
        package var turnWaitMax: Duration = .seconds(5)

        /// The longest time that a connection may wait for its next request line, and the longest time without a byte
        /// in either direction. It is longer than a balancer's usual keep-alive of 60 s, so that the balancer closes
        /// first.
        package var idleTimeout: Duration = .seconds(65)

        /// The longest time from a request's first line to its last byte. A slower request is answered with 408. With
        /// the default, the largest body arrives in time at 2.2 Mbit/s.
        package var receiveTimeout: Duration = .seconds(30)

        /// The longest time that sending a response may take, until the kernel has accepted its last byte. For a
        /// stream, it is the longest time without an accepted byte. After this time the connection is cut.
        package var sendTimeout: Duration = .seconds(120)

        /// The longest time that `stop()` waits for requests in flight. A supervisor commonly kills a process after 10
        /// s or more.
        package var stopGrace: Duration = .seconds(8)

        package init() {}
    }
}
