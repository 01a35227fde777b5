import WireFormats

/// The event that tells a client the head of a space (the number of the space's latest change). Streams contain no
/// other kind of event. The format is that of server-sent events (WHATWG HTML, section 9.2).
enum HeadEvent {
    /// A comment, which clients ignore; it keeps proxies from closing a silent stream.
    static let heartbeat = Array(":\n\n".utf8)

    /// The time after which a client reconnects when the stream ends, in milliseconds. It is spread at random, because
    /// all clients of a server that stops reconnect to another.
    static let retryMilliseconds = 1_000...5_000

    /// Returns the bytes of an event.
    ///
    /// - Parameter isFirst: true if the event opens the stream; it then states the time after which to reconnect.
    static func bytes(head: Int64, isFirst: Bool) -> [UInt8] {
        let retry = isFirst ? "retry: \(Int.random(in: retryMilliseconds))\n" : ""
        let event = "\(StreamEvent.headLine)\(head)\nevent: \(StreamEvent.head)\n"
        return Array("\(retry)\(event)data: {\"\(StreamEvent.head)\":\(head)}\n\n".utf8)
    }
}
