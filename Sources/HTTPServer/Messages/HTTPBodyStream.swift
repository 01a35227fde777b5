/// A response body that goes on for as long as both sides like, such as server-sent events.
///
/// Nothing is queued: when its bell has rung and the client can take more, it is asked for what is to be sent *now*. So
/// of a client that reads slowly it is asked seldom, for what is true then. Meanwhile it costs neither a thread nor a
/// task, and none of the connections that `Limits.connectionsMax` allows; its end is the connection's.
package final class HTTPBodyStream: Sendable {
    /// What to send.
    package enum Chunk: Sendable {
        case bytes([UInt8])
        /// Nothing until the bell rings.
        case nothing
        /// The body is over.
        case end
    }

    let bell: Bell
    /// What to send where nothing else was sent for `Limits.heartbeatInterval`.
    let heartbeat: [UInt8]
    /// Runs on the thread of all streams, so it must not block.
    let next: @Sendable () -> Chunk
    private let ended: @Sendable () -> Void

    /// - Parameters:
    ///   - bell: this stream's alone; it is first asked without having been rung.
    ///   - next: called on one thread, one call at a time; must not block.
    ///   - ended: called once, when nobody will ask any more: the stream has ended, on whichever side, or never began.
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
