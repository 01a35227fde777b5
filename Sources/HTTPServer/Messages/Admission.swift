/// An application's decision on a request's head, before a byte of the body is kept.
package enum Admission: Sendable {
    /// Answers from the head alone. The body is not read; if there is one, the connection is closed after the answer.
    /// The request does not count towards the limits of requests in flight, so use this for requests that must be
    /// answered however busy the server is.
    case answer(HTTPResponse)

    /// Receives the body, and then calls `respond` for the answer. The request is charged to the holder (the party
    /// whose share of the server's limits it uses).
    ///
    /// Without a holder, the client is unauthenticated. The request is then charged to the client's network and may not
    /// have a body. Its connection is among the first to be closed when there are too many.
    ///
    /// `respond` runs concurrently with other requests. It must not block, because other connections of the same event
    /// loop would wait. When the server stops, the task of `respond` is cancelled after `Limits.stopGrace`.
    case admit(Holder?, respond: @Sendable (HTTPRequest) async -> HTTPResponse)

    /// Runs a look-up that identifies the caller, and then follows the decision that it returns. Meanwhile the
    /// connection is suspended and the body stays unread in the socket. The application must bound the number of
    /// waiting look-ups.
    case lookUp(@Sendable () async -> Admission)
}

/// The party that requests are charged to: each holder has its own share of the server's budgets (`Limits`).
package struct Holder: Sendable {
    /// The bytes of the name in UTF-8. Holders are compared by these bytes, so two names are two holders even if
    /// Unicode counts them as equal.
    private let name: [UInt8]
    /// The hash of `name`. It is computed only once, because each request needs it for look-ups in several tables.
    private let hashed: Int

    package init(_ name: String) {
        self.name = Array(name.utf8)
        var hasher = Hasher()
        hasher.combine(self.name)
        hashed = hasher.finalize()
    }

    /// Creates the holder (the party that requests are charged to) that all unauthenticated clients of a network share.
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
