internal import Glibc

extension HTTPServer {
    /// What the server refuses to go beyond. Over a limit is a clear refusal, never a stall.
    package struct Limits: Sendable {
        /// A request's content as received; more is 413. A push of 1,000 changes of a few kilobytes fits.
        package var bodySizeMaxBytes = 8 * 1024 * 1024

        /// A request's content decompressed; more is 413. JSON shrinks up to tenfold, a bomb a thousandfold: four times
        /// the largest body lets honest clients through and stops the rest within one allocation's growth.
        package var decompressedSizeMaxBytes = 32 * 1024 * 1024

        /// All contents held at once: received and decompressed, and answers of more than 64 KiB until they are read; a
        /// request that would pass it is 503. Bounds memory whatever the number of connections.
        package var bufferedSizeMaxBytes = 256 * 1024 * 1024

        /// Of those, the contents of one holder; more is 503. A quarter: the largest request, 8 MiB that become 32,
        /// fits with room for others of the same holder, and it takes four holders to take all.
        package var bufferedPerHolderMaxBytes = 64 * 1024 * 1024

        /// Request line and header lines; more is 431. Room for a bearer token of a few kilobytes.
        package var headersSizeMaxBytes = 16 * 1024

        /// Connections open at once. For one more, the network that holds the most gives up the one that has waited
        /// longest, of those that wait for a request or belong to somebody unknown; where there is none, the new one is
        /// closed as soon as it is accepted. About 32 KiB each.
        package var connectionsMax = 4096

        /// Connections open at once from one network: an IPv4 address, or the /64 that an IPv6 address is in, because a
        /// host has all of that. For one more, it gives up one of its own as above. Nil for no limit, which is right
        /// behind a proxy.
        package var connectionsPerAddressMax: Int?

        /// Streaming responses at once, beside `connectionsMax`; one more is 503. Each takes a descriptor and about
        /// a kilobyte: ten thousand devices may listen, and half as many more while another server restarts.
        package var streamsMax = 15_000

        /// Of those, the streams of one holder; more is 503. A user's devices are ten, those behind an app's own
        /// backend some hundred. All of them, listening to one space that moves all the time, are 20,000 small writes a
        /// second.
        package var streamsPerHolderMax = 1_000

        /// How long a stream is silent before its heartbeat. Proxies commonly cut what is silent for 60 s, so that two
        /// fit; a client that was lost without a word is found by it.
        package var heartbeatInterval: Duration = .seconds(25)

        /// Requests that `respond` works on at once; one more is 503 with `Retry-After: 1`. Several times what the
        /// database answers in parallel, so that a short burst waits and a long one is turned away.
        package var inFlightMax = 256

        /// Of those, the requests of one holder; more is 503. A quarter: some hundred devices behind one token seldom
        /// have as many at once, and it takes four holders to take all.
        package var inFlightPerHolderMax = 64

        /// Requests of one holder that are worked on at the same time; the others in flight wait for their turn. Half
        /// of the database's sessions, so that one holder never has them all.
        package var turnsPerHolderMax = 8

        /// The same while others send requests, too. Half of the processors: on two, a subject that pushed as fast as
        /// it could with eight at a time made another's 99th percentile seven times as long, with two 2.0 to 2.6 times,
        /// with one 1.2 to 2.2 times.
        package var sharedTurnsPerHolderMax = max(1, min(8, sysconf(CInt(_SC_NPROCESSORS_ONLN)) / 2))

        /// What a long request, with a large or compressed body, weighs among the turns of its holder, since it is
        /// milliseconds of a processor and more: two of them at a time, or one where there are less than four
        /// processors. On two, a writer that did its worst made others wait twice as long with two at a time.
        package var longRequestWeight = sysconf(CInt(_SC_NPROCESSORS_ONLN)) < 4 ? 8 : 4

        /// How long a request may wait for its turn; over it is 503, when its turn comes. As long as for a session of
        /// the database: the client has given up by then or soon will.
        package var turnWaitMax: Duration = .seconds(5)

        /// How long a connection may wait for its next request line, and how long no byte may move in either direction.
        /// Longer than a balancer's usual keep-alive of 60 s, so that the balancer closes first.
        package var idleTimeout: Duration = .seconds(65)

        /// From a request's first line to its last byte; over it is 408. The largest body passes at 2.2 Mbit/s.
        package var receiveTimeout: Duration = .seconds(30)

        /// From the answer to its last byte accepted by the kernel, or in a stream between two bytes; over it the
        /// connection is cut.
        package var sendTimeout: Duration = .seconds(120)

        /// How long `stop()` waits for requests in flight; a supervisor commonly kills after 10 s or more.
        package var stopGrace: Duration = .seconds(8)

        package init() {}
    }
}
