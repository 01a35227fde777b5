/// An application's decision on a request's head, before a byte of the body is kept.
package enum Admission: Sendable {
    /// Answers from the head alone. A body is not read, and the connection is closed if one follows. The request takes
    /// no slot among the requests in flight, so this is the way for requests that must be answered however busy the
    /// server is.
    case answer(HTTPResponse)

    /// Receives the body on the holder's account, then `respond` answers. A nil holder is an unauthenticated client:
    /// its network is charged, it may not send a body, and its connection is evicted first where room is needed.
    ///
    /// `respond` runs concurrently; it is cancelled when `stop()` gives up. It must not block: other connections of the
    /// same event loop would wait.
    case admit(Holder?, respond: @Sendable (HTTPRequest) async -> HTTPResponse)

    /// Needs a look-up to identify the caller. Until the look-up is done, the connection is suspended and the body left
    /// in the socket. The application must bound the number of waiting look-ups.
    case lookUp(@Sendable () async -> Admission)
}

/// The party whose share of the server's budgets a request takes (`Limits`); each holder has its own share.
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

    /// An unauthenticated client of that network.
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
