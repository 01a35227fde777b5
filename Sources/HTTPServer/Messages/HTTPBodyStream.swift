/// A response body of unlimited length, such as server-sent events.
///
/// The stream has no queue. When the producer has rung the bell (its signal) and the client can take more, the server
/// calls `next` for the bytes to send now. A slow client's stream is therefore asked seldom, and sends the state as of
/// that moment. An open stream uses neither a thread nor a task, and does not count towards `Limits.connectionsMax`.
/// The connection is closed at the end of the stream.
package final class HTTPBodyStream: Sendable {
    /// The next part of a stream.
    package enum Chunk: Sendable {
        case bytes([UInt8])
        /// Nothing to send now. The stream is asked again after the next ring of its bell (the producer's signal).
        case nothing
        /// The end of the stream.
        case end
    }

    let bell: Bell
    /// The bytes that are sent when no other bytes were sent for `Limits.heartbeatInterval`.
    let heartbeat: [UInt8]
    /// Returns the next part to send. It is called on the thread that writes all streams, so it must not block.
    let next: @Sendable () -> Chunk
    private let ended: @Sendable () -> Void

    /// Creates a stream from its bell (the producer's signal), its heartbeat and its two callbacks.
    ///
    /// - Parameters:
    ///   - bell: a bell that no other stream uses. `next` is called once at the beginning, even if the bell was not
    ///     rung.
    ///   - heartbeat: the bytes to send when nothing else was sent for `Limits.heartbeatInterval`.
    ///   - next: returns the next part to send. It is called on one thread, one call at a time, and must not block.
    ///   - ended: called once, when `next` will not be called any more. It is called even if the stream never began.
    package init(
        bell: Bell, heartbeat: [UInt8], next: @escaping @Sendable () -> Chunk, ended: @escaping @Sendable () -> Void
    ) {
        self.bell = bell
        self.heartbeat = heartbeat
        self.next = next
        self.ended = ended
    }

    deinit {
        bell.takeDown()
        ended()
    }
}
