extension HTTPServer {
    /// The amounts of the server's current work, and the numbers of requests and connections that it has turned away
    /// since its start.
    package struct Counts: Sendable, Equatable {
        /// Connections that are accepted and not yet closed.
        package var openConnections = 0
        /// Streaming responses under way. Their connections are not among the open connections.
        package var openStreams = 0
        /// Requests that `respond` works on now, or that wait until the limits of `Turns` allow them to run.
        package var inFlight = 0
        /// Bytes of contents held in memory: received and decompressed bodies, and responses of more than 64 KiB until
        /// clients have received them.
        package var bufferedBytes = 0
        /// Requests whose headers have arrived and whose response is not fully sent; includes the requests in flight.
        package var openRequests = 0
        /// Connections that were closed on arrival: `connectionsMax` was reached and no other connection could be
        /// closed instead, or the server was stopping.
        package var refusedConnections = 0
        /// Connections closed to make room for a new one.
        package var evictedConnections = 0
        /// Requests that the server itself answered with a `Problem` of any kind, and not the application.
        package var refusedRequests = 0
    }
}
