/// An application's decision on a request's head, before a byte of the body is kept.
package enum Admission: Sendable {
    /// Answers from the head alone. The body is not read; if there is one, the connection is closed after the answer.
    /// The request does not count among the requests in flight, so use this for requests that must be answered however
    /// busy the server is.
    case answer(HTTPResponse)

    /// Receives the body, which is charged to the holder, and then calls `respond` for the answer. A `nil` holder is an
    /// unauthenticated client: the request is charged to its network, it may not have a body, and its connection is
    /// among the first to be evicted when there are too many.
    ///
    /// `respond` runs concurrently; its task is cancelled when `stop()` no longer waits for it. It must not block:
    /// other connections of the same event loop would wait.
    case admit(Holder?, respond: @Sendable (HTTPRequest) async -> HTTPResponse)

    /// Runs a look-up that identifies the caller and returns the decision. Meanwhile the connection is suspended and
    /// the body stays unread in the socket. The application must bound the number of waiting look-ups.
    case lookUp(@Sendable () async -> Admission)
}

/// The party that requests are charged to: each holder has its own share of the server's budgets (`Limits`).
package struct Holder: Sendable {
    /// The name's bytes, which distinguish holders: two names that Unicode counts as equal are two holders.
    private let name: [UInt8]
    /// The hash of `name`, computed once because each request looks its holder up in several tables.
    private let hashed: Int

    package init(_ name: String) {
        self.name = Array(name.utf8)
        var hasher = Hasher()
        hasher.combine(self.name)
        hashed = hasher.finalize()
    }

    /// Creates the holder for all unauthenticated clients of a network.
    init(network: String) {
        self.init("network \(network)")
    }
}

extension Holder: Hashable {
    package static func == (one: Holder, other: Holder) -> Bool {
        one.hashed == other.hashed && one.name == other.name
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hashed) }
}
