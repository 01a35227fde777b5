/// A response body of unlimited length, such as server-sent events.
///
/// Nothing is queued: when the bell has rung and the client can take more, the stream is asked for the bytes to send
/// *now*. So for a client that reads slowly the stream is asked seldom, and sends the state of that moment. An open
/// stream costs neither a thread nor a task, and none of the connections that `Limits.connectionsMax` allows. The end
/// of the stream closes the connection.
package final class HTTPBodyStream: Sendable {
    /// The next part of a stream.
    package enum Chunk: Sendable {
        case bytes([UInt8])
        /// Nothing until the bell rings again.
        case nothing
        /// The body is over.
        case end
    }

    let bell: Bell
    /// The bytes to send after `Limits.heartbeatInterval` without any other bytes.
    let heartbeat: [UInt8]
    /// Returns the next part to send. Runs on the thread of all streams, so it must not block.
    let next: @Sendable () -> Chunk
    private let ended: @Sendable () -> Void

    /// Creates a stream from its bell, its heartbeat and its two callbacks.
    ///
    /// - Parameters:
    ///   - bell: a bell that no other stream uses; the stream is first asked without a ring.
    ///   - next: called on one thread, one call at a time; must not block.
    ///   - ended: called once, when `next` will not be called any more: either side has ended the stream, or it never
    ///     began.
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
