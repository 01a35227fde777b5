package import HTTPServer
package import PGStore
import WireFormats

/// Finds what answers a request. The whole API is the one switch below.
package struct Router: Sendable {
    private let engines: [String: SyncEngine]
    private let authenticator: Authenticator
    private let hub: EventHub
    private let pool: Pool
    private let presence: Presence
    private let clock: HybridClock
    private let log: Log

    package init(
        engines: [SyncEngine], authenticator: Authenticator, hub: EventHub, pool: Pool, presence: Presence,
        clock: HybridClock, log: Log
    ) {
        self.engines = Dictionary(uniqueKeysWithValues: engines.map { ($0.plan.app, $0) })
        self.authenticator = authenticator
        self.hub = hub
        self.pool = pool
        self.presence = presence
        self.clock = clock
        self.log = log
    }

    package func respond(to request: HTTPRequest) async -> HTTPResponse {
        do {
            return try await route(request)
        } catch {
            if let problem = Problem(answering: error) { return problem.response }
            log.error(
                "request failed",
                ["method": request.method.token, "path": request.path, "error": String(reflecting: error)])
            return Problem.internalFault.response
        }
    }

    private func route(_ request: HTTPRequest) async throws -> HTTPResponse {
        let segments = request.segments
        switch (segments.count, segments.first, segments.dropFirst().first) {
        case (1, "healthz", _):
            try allow(request, .get)
            return .json { $0.ok() }
        case (1, "readyz", _):
            try allow(request, .get)
            return try await readiness()
        case (2, "v1", "apps"):
            try allow(request, .get)
            return .json { AppsRoute(engines.values.map(\.plan)).writeAll(to: &$0) }
        case (3, "v1", "apps"):
            try allow(request, .get)
            let engine = try engine(segments[2])
            return .json { AppsRoute([engine.plan]).write(engine.plan, to: &$0) }
        case (6, "v1", "apps") where segments[3] == "versions" && segments[5] == "schema.json":
            try allow(request, .get)
            return try AppsRoute.schema(of: segments[4], engine(segments[2]).plan)
        case (6, "v1", "apps") where segments[3] == "spaces":
            return try await routeSpace(request, engine(segments[2]), space: segments[4], action: segments[5])
        default:
            throw Problem.notFound("No such path. See docs/protocol.md.")
        }
    }

    private func routeSpace(
        _ request: HTTPRequest, _ engine: SyncEngine, space: String, action: String
    ) async throws -> HTTPResponse {
        if presence.isOutdated { throw Problem.outdated }
        let reads: Bool
        switch (action, request.method) {
        case ("changes", .get), ("changes", .head), ("events", .get), ("events", .head): reads = true
        case ("changes", .post), ("sync", .post): reads = false
        case ("changes", _): throw Problem.methodNotAllowed("GET, POST")
        case ("events", _): throw Problem.methodNotAllowed("GET")
        case ("sync", _): throw Problem.methodNotAllowed("POST")
        default: throw Problem.notFound("No such path below a space. See docs/protocol.md.")
        }
        guard let grant = try await authenticator.grant(authorization: request.headers["Authorization"]) else {
            throw Problem.unauthenticated
        }
        let context = try SyncRequest(request, engine: engine, space: space, grant: grant, writes: !reads)
        let now = clock.time
        engine.census?.note(context.caller.version, by: context.caller.device, outboxAge: context.outboxAge, at: now)
        let routes = SyncRoutes(request: request, context: context, now: now, log: log)
        switch (action, reads) {
        case ("events", _):
            guard let token = Authenticator.hash(authorization: request.headers["Authorization"]) else {
                throw Problem.unauthenticated
            }
            return try await EventsRoute(context: context, token: token, hub: hub, now: now).open()
        case ("sync", _): return try await routes.sync()
        case (_, true): return try await routes.pull()
        case (_, false): return try await routes.push()
        }
    }

    private func engine(_ app: String) throws(Problem) -> SyncEngine {
        guard let engine = engines[app] else {
            let known = engines.keys.sorted().joined(separator: ", ")
            throw .notFound("There is no app ‘\(shortened(app))’; there is \(known).")
        }
        return engine
    }

    private func allow(_ request: HTTPRequest, _ method: HTTPMethod) throws(Problem) {
        if request.method != method, request.method != .head { throw .methodNotAllowed(method.token) }
    }

    private func readiness() async throws -> HTTPResponse {
        if presence.isOutdated { throw Problem.outdated }
        do {
            _ = try await pool.withSession { session in try await session.execute(Command("SELECT 1")) }
        } catch {
            throw Problem.notReady
        }
        return .json { $0.ok() }
    }
}

extension JSONWriter {
    fileprivate mutating func ok() {
        beginObject()
        key("status")
        string("ok")
        endObject()
    }
}

extension HTTPResponse {
    /// 200 with a JSON body.
    static func json(type: String = "application/json", _ content: (inout JSONWriter) -> Void) -> HTTPResponse {
        var writer = JSONWriter()
        content(&writer)
        return HTTPResponse(status: 200, headers: ["Content-Type": type], body: writer.bytes)
    }
}
