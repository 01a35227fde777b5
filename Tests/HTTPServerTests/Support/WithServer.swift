import Synchronization
import Testing

@testable import HTTPServer

/// Runs `body` with an echoing server.
func withServer(
    limits: HTTPServer.Limits = HTTPServer.Limits(), threads: Int = 2, body: (HTTPServer) async throws -> Void
) async throws {
    try await withServer(
        limits: limits, threads: threads, respond: { HTTPResponse(status: 200, body: $0.body) }, body: body)
}

/// Runs `body` with a server on a free port, stops it, and asserts that no resources are left.
func withServer(
    limits: HTTPServer.Limits = HTTPServer.Limits(), threads: Int = 2,
    respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
    body: (HTTPServer) async throws -> Void
) async throws {
    // All requests have one holder, which may use all resources.
    var limits = limits
    limits.bufferedPerHolderMaxBytes = .max
    limits.inFlightPerHolderMax = .max
    limits.turnsPerHolderMax = .max
    limits.sharedTurnsPerHolderMax = .max
    limits.streamsPerHolderMax = .max
    try await withServer(
        limits: limits, threads: threads, admit: { _ in .admit(Holder("everyone"), respond: respond) }, body: body)
}

/// Runs `body` with a server for which `admit` decides on each request.
func withServer(
    limits: HTTPServer.Limits = HTTPServer.Limits(), threads: Int = 2,
    admit: @escaping @Sendable (HTTPRequest) -> Admission, body: (HTTPServer) async throws -> Void
) async throws {
    var configuration = HTTPServer.Configuration()
    configuration.threads = threads
    configuration.limits = limits
    let server = try HTTPServer.start(configuration, admit: admit)
    let result: Result<Void, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    await server.stop()
    let counts = server.counts
    #expect(counts.openConnections == 0 && counts.inFlight == 0 && counts.openRequests == 0, "left over: \(counts)")
    #expect(counts.bufferedBytes == 0)
    try result.get()
}

extension HTTPServer.Limits {
    /// Returns the defaults with the changes that `change` makes.
    static func with(_ change: (inout Self) -> Void) -> Self {
        var limits = Self()
        change(&limits)
        return limits
    }
}

/// A gate that suspends tasks until it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var arrivals = 0
    private var arrivalWaiters: [(Int, CheckedContinuation<Void, Never>)] = []

    /// Counts the caller as arrived, and returns once the gate is open.
    func pass() async {
        arrivals += 1
        for (count, waiter) in arrivalWaiters where count <= arrivals { waiter.resume() }
        arrivalWaiters.removeAll { $0.0 <= arrivals }
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    /// Returns once `count` callers have arrived.
    func arrived(_ count: Int) async {
        if arrivals < count { await withCheckedContinuation { arrivalWaiters.append((count, $0)) } }
    }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
