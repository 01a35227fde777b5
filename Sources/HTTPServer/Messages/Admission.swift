/// What an application makes of a request's head, before a byte of its body is kept.
package enum Admission: Sendable {
    /// The answer, from the head alone. A body is not read; behind one the connection is closed. It takes no place
    /// among the requests in flight, so what must be answered however busy the server is goes this way.
    case answer(HTTPResponse)

    /// The body is received on the holder's account, then `respond` answers. A nil holder is somebody unknown: its
    /// network is charged, it may not send a body, and its connection gives way where room is needed.
    ///
    /// `respond` runs concurrently; it is cancelled when `stop()` gives up. It must not block: other connections of the
    /// same event loop would wait.
    case admit(Holder?, respond: @Sendable (HTTPRequest) async -> HTTPResponse)

    /// Who sends it takes a look-up. Until that is done the connection is suspended, and its body left to the socket.
    /// How many look-ups wait is for the application to bound.
    case lookUp(@Sendable () async -> Admission)
}

/// Whose share of the server's budgets a request takes (`Limits`): what is taken by one is not taken by another.
package struct Holder: Sendable {
    /// Told apart by its bytes: two names that Unicode counts as equal are two holders.
    private let name: [UInt8]
    /// Worked out once: each request looks its holder up in several tables.
    private let hashed: Int

    package init(_ name: String) {
        self.name = Array(name.utf8)
        var hasher = Hasher()
        hasher.combine(self.name)
        hashed = hasher.finalize()
    }

    /// Somebody unknown.
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
