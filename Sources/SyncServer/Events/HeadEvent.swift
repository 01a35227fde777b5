/// The one event that there is, as it travels (WHATWG HTML, section 9.2).
enum HeadEvent {
    /// A comment: it tells nothing, and keeps proxies from taking the stream for dead.
    static let heartbeat = Array(":\n\n".utf8)

    /// When a client is to come back after the stream's end. Spread, because all that listened to a server that stops
    /// come back to another.
    static let retryMilliseconds = 1_000...5_000

    /// - Parameter isFirst: whether it opens the stream, and says when to come back.
    static func bytes(head: Int64, isFirst: Bool) -> [UInt8] {
        let retry = isFirst ? "retry: \(Int.random(in: retryMilliseconds))\n" : ""
        return Array("\(retry)id: \(head)\nevent: head\ndata: {\"head\":\(head)}\n\n".utf8)
    }
}
