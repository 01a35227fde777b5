extension HTTPServer {
    /// What the server is doing, and what it has turned away since it started.
    package struct Counts: Sendable, Equatable {
        /// Accepted and not yet closed.
        package var openConnections = 0
        /// Streaming responses under way; their connections are not among the open ones.
        package var openStreams = 0
        /// Requests that `respond` works on now, or that wait for their turn.
        package var inFlight = 0
        /// Bytes of bodies that are held, received and decompressed.
        package var bufferedBytes = 0
        /// Requests whose headers came and whose response is not out yet; includes those in flight.
        package var openRequests = 0
        /// Closed on arrival: nobody to make room over `connectionsMax`, or stopping.
        package var refusedConnections = 0
        /// Closed to make room for another.
        package var evictedConnections = 0
        /// Answered by the server itself, with whatever problem.
        package var refusedRequests = 0
    }
}
