/// A response body of unlimited length, such as server-sent events.
///
/// Nothing is queued. After a ring of the bell (the producer's signal), and when the client can take more, `next` is
/// called for the bytes to send *now*. So the stream of a slow client is asked seldom, and sends the state of that
/// moment. An open stream uses neither a thread nor a task, and does not count towards `Limits.connectionsMax`. The end
/// of the stream closes the connection.
package final class HTTPBodyStream: Sendable {
    /// The next part of a stream.
    package enum Chunk: Sendable {
        case bytes([UInt8])
        /// There is nothing to send until the bell rings again.
        case nothing
        /// The stream has ended.
        case end
    }

    let bell: Bell
    /// The bytes to send after `Limits.heartbeatInterval` without any other bytes.
    let heartbeat: [UInt8]
    /// Returns the next part to send. It is called on the thread that writes all streams, so it must not block.
    let next: @Sendable () -> Chunk
    private let ended: @Sendable () -> Void

    /// Creates a stream from its bell, its heartbeat and its two callbacks.
    ///
    /// - Parameters:
    ///   - bell: a bell that no other stream uses. `next` is first called without a ring.
    ///   - next: returns the next part to send; called on one thread, one call at a time. It must not block.
    ///   - ended: called once, when `next` will not be called any more: the server or the client has ended the stream,
    ///     or it never began.
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
