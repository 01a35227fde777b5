extension HTTPServer {
    /// Gauges of the server's current work, and counters of the requests and connections turned away since its start.
    package struct Counts: Sendable, Equatable {
        /// Connections that are accepted and not yet closed.
        package var openConnections = 0
        /// Streaming responses under way. Their connections are not among the open connections.
        package var openStreams = 0
        /// Requests that `respond` works on now, or that wait for their turn.
        package var inFlight = 0
        /// Bytes of bodies held in memory, received and decompressed.
        package var bufferedBytes = 0
        /// Requests whose headers have arrived and whose response is not fully sent; includes the requests in flight.
        package var openRequests = 0
        /// Connections closed on arrival: over `connectionsMax` with no connection to evict, or while the server stops.
        package var refusedConnections = 0
        /// Connections closed to make room for another.
        package var evictedConnections = 0
        /// Requests that the server itself answered with a problem of any kind.
        package var refusedRequests = 0
    }
}
