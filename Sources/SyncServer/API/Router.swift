package import HTTPServer
import PGMigrations
import PGStore
import Postgres
import SyncEngine
import WireFormats

/// Authenticates each request and dispatches it to the code that answers it. The list of routes is in `RouteTable`.
///
/// The head alone decides as much as possible: a request without a valid token, with a token that does not reach the
/// space, or with an unknown version is answered before its body.
package struct Router: Sendable {
    private let engines: [String: SyncEngine]
    private let authenticator: Authenticator
    private let readiness: Readiness
    private let hub: EventHub
    private let presence: ServerRegistration
    private let clock: HybridClock
    private let live: LivePolicy
    private let metrics: Metrics
    private let log: Log
    private let openAPI: OpenAPIPage
    private let largeBodies = LargeBodies()
    private let databaseTrouble: Outage
    private let troubleReminder = Reminder()
    private let unheardProxy: UnheardProxy

    init(
        engines: [SyncEngine], authenticator: Authenticator, readiness: Readiness, hub: EventHub,
        presence: ServerRegistration, clock: HybridClock, policy: LivePolicy, metrics: Metrics,
        log: Log
    ) {
        self.engines = Dictionary(uniqueKeysWithValues: engines.map { ($0.plan.app, $0) })
        openAPI = OpenAPIPage(engines.map(\.plan))
        self.authenticator = authenticator
        self.readiness = readiness
        self.hub = hub
        self.presence = presence
        self.clock = clock
        live = policy
        self.metrics = metrics
        self.log = log
        databaseTrouble = Outage(
            log, failing: "the database is in trouble", working: "the database takes what is pushed again")
        unheardProxy = UnheardProxy(log)
    }

    /// The policy in force now.
    private var policy: RequestPolicy { live.current }

    /// Decides on a request by its head.
    package func admit(_ request: HTTPRequest) -> Admission {
        let route = Result { () throws(Problem) in try RouteTable.route(request.method, request.segments) }
        let found = try? route.get()
        // The client chooses the method's text freely, so it is used only if a route has it.
        let policy = policy
        let observer = RequestObserver(
            id: RequestID(request), method: found?.method.token ?? "other",
            operation: found?.operation.name ?? Metrics.unrouted, metrics: metrics,
            origins: policy.origins, origin: policy.origins.allowed(request),
            log: policy.logsRequests && !(found?.operation.isProbe ?? false) ? log : nil)
        if let preflight = policy.origins.preflight(request) { return observer.observing(.answer(preflight)) }
        return observer.observing(answering { () throws(Problem) in try admit(request, try route.get()) })
    }

    private func admit(_ request: HTTPRequest, _ route: Route) throws(Problem) -> Admission {
        switch route.operation {
        case .open(let operation): return try admit(request, route.path, operation)
        case .account(let operation):
            let engine = try engine(of: request, route.path)
            return try identifying(request) { (bearer) throws(Problem) in
                _ = try AccountAccess(engine, for: operation, bearer)
                return admitting(bearer, changesRights: operation.changesSomething) { request, bearer in
                    let access = try AccountAccess(engine, for: operation, bearer)
                    return try await AccountRoutes(request: request, access: access).answer(operation)
                }
            }
        case .space(let operation):
            return try reaching(request, route, operation.leastRole) { (target, access, bearer) throws(Problem) in
                try admit(request, operation, target, access, bearer)
            }
        case .sharing(let operation):
            return try reaching(request, route, operation.leastRole) { (target, access, bearer) throws(Problem) in
                admitting(bearer, changesRights: operation.changesSomething) { request, bearer in
                    let access = try target.access(bearer.grant)
                    return try await SharingRoutes(request: request, path: route.path, access: access)
                        .answer(operation)
                }
            }
        }
    }

    /// Decides on a request about a space.
    ///
    /// - Parameter admit: called with the space and the caller.
    private func reaching(
        _ request: HTTPRequest, _ route: Route, _ leastRole: SpaceRole,
        _ admit: @escaping @Sendable (SpaceTarget, SpaceAccess, TokenBearer) throws(Problem) -> Admission
    ) throws(Problem) -> Admission {
        let engine = try engine(of: request, route.path)
        let target = SpaceTarget(
            route.path.value(of: .space, in: request.segments), of: engine, for: route.operation, leastRole)
        let charged = { @Sendable [rates = policy.rates] (bearer: TokenBearer) throws(Problem) in
            let access = try target.access(bearer.grant)
            try rates?.take(.space, of: SpaceName(app: engine.plan.app, space: access.space))
            return try admit(target, access, bearer)
        }
        return try identifying(request) { (bearer) throws(Problem) in
            guard target.needsPersonalSpace(bearer.grant) else { return try charged(bearer) }
            // On the first use of the personal space: makes the space, then looks the token up again, which now reaches
            // it.
            return .lookUp {
                do {
                    _ = try await engine.sharing.makeSpace(for: Actor(bearer), isPersonal: true)
                    let bearer = try await authenticator.renewed(bearer)
                    return answering { () throws(Problem) in try charged(bearer) }
                } catch {
                    return .answer(response(to: error, in: request))
                }
            }
        }
    }

    private func admit(
        _ request: HTTPRequest, _ path: PathTemplate, _ operation: OpenOperation
    ) throws(Problem) -> Admission {
        if operation.isRated {
            try rate(stranger: network(of: request))
        }
        switch operation {
        case .health: return .answer(.ok)
        case .readiness:
            if presence.isOutdated { throw Problem.outdated }
            if readiness.isDraining { throw Problem.draining }
            if let isReady = readiness.known() { return .answer(isReady ? .ok : Problem.notReady.response) }
            return .lookUp { .answer(await readiness.ask() ? .ok : Problem.notReady.response) }
        case .openAPI: return admitting { [openAPI] _ in openAPI.response }
        case .apps:
            return admitting { _ in .json { AppsRoute(Array(engines.values)).writeAll(to: &$0) } }
        case .app:
            let engine = try engine(of: request, path)
            return admitting { _ in .json { AppsRoute([engine]).write(engine, to: &$0) } }
        case .schema:
            let plan = try engine(of: request, path).plan
            return admitting { try AppsRoute.schema(of: path.value(of: .version, in: $0.segments), plan) }
        }
    }

    /// Returns the network that a request without a known token is counted under. Logs once if a proxy's forwarding
    /// header is not trusted.
    private func network(of request: HTTPRequest) -> String {
        let proxies = policy.proxies
        unheardProxy.note(request, isTrusted: proxies.trusts(request.remoteAddress))
        return proxies.network(of: request)
    }

    /// Decides on a request that needs a token.
    ///
    /// - Parameter admit: called with the bearer of the token.
    private func identifying(
        _ request: HTTPRequest, _ admit: @escaping @Sendable (TokenBearer) throws(Problem) -> Admission
    ) throws(Problem) -> Admission {
        if presence.isOutdated { throw Problem.outdated }
        let rated = { @Sendable [rates = policy.rates] (bearer: TokenBearer) throws(Problem) in
            try rates?.take(.token, of: bearer.hash)
            try rates?.take(.subject, of: bearer.grant.holder)
            return try admit(bearer)
        }
        switch authenticator.identity(authorization: request.headers["Authorization"]) {
        case .known(let bearer): return try rated(bearer)
        case .unknown:
            try rate(stranger: network(of: request))
            throw Problem.unauthenticated
        case .unclear(let token):
            let network = network(of: request)
            if token.isStrange { try rate(stranger: network) }
            return .lookUp {
                do {
                    guard let bearer = try await authenticator.lookUp(token, from: network) else {
                        return .answer(Problem.unauthenticated.response)
                    }
                    return answering { () throws(Problem) in try rated(bearer) }
                } catch PGError.poolOverloaded {
                    return .answer(Problem.tooManyStrangers.response)
                } catch {
                    return .answer(response(to: error, in: request))
                }
            }
        }
    }

    private func admit(
        _ request: HTTPRequest, _ operation: SpaceOperation, _ target: SpaceTarget, _ access: SpaceAccess,
        _ bearer: TokenBearer
    ) throws(Problem) -> Admission {
        let context = try SyncRequest(request, access)
        return admitting(bearer.grant.holder) { request in
            var (current, context) = (try await authenticator.current(bearer), context)
            if current.found.since != bearer.found.since {
                context = try SyncRequest(request, try target.access(current.grant))
            }
            let now = clock.time
            let caller = context.caller
            metrics.note(version: context.engine.names[caller.version], of: context.engine.plan.app)
            context.engine.census?.note(
                caller.version, by: caller.device, of: caller.subject, outboxAge: context.outboxAge, at: now)
            for _ in 0..<Router.rightsReadMax {
                do {
                    return try await answer(operation, request, context, current, now)
                } catch SyncError.rightsChanged {
                    current = try await authenticator.renewed(current)
                    context = try SyncRequest(request, try target.access(current.grant))
                }
            }
            throw SyncError.busy
        }
    }

    /// The number of times that a request's rights are read again because a member of the space lost rights meanwhile;
    /// after that the client must try again.
    private static let rightsReadMax = 4

    private func answer(
        _ operation: SpaceOperation, _ request: HTTPRequest, _ context: SyncRequest, _ bearer: TokenBearer,
        _ now: Timestamp
    ) async throws -> HTTPResponse {
        let routes = SyncRoutes(
            request: request, context: context, now: now, log: log, largeBodies: largeBodies, metrics: metrics
        ) { count throws(Problem) in try policy.rates?.take(.changes, of: bearer.grant.holder, cost: count) }
        switch operation {
        case .events: return try await EventsRoute(context: context, token: bearer.hash, hub: hub, now: now).open()
        case .pull: return try await routes.pull()
        case .sync, .push:
            let response = try await operation == .sync ? routes.sync() : routes.push()
            databaseTrouble.worked()
            return response
        }
    }

    /// Charges an unauthenticated request to the rate limit of its network.
    private func rate(stranger network: String) throws(Problem) {
        try policy.rates?.take(.address, of: network)
    }

    private func admitting(
        _ holder: Holder? = nil, _ respond: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) -> Admission {
        .admit(holder) { request in
            do { return try await respond(request) } catch { return response(to: error, in: request) }
        }
    }

    /// Admits a request about members, invitations, or a subject's spaces.
    ///
    /// - Parameters:
    ///   - changesRights: true if the token must be looked up again before the request, and again by the next request
    ///     with it, because the token's rights may differ then.
    ///   - respond: called with the bearer as it is once the body has arrived.
    private func admitting(
        _ bearer: TokenBearer, changesRights: Bool,
        _ respond: @escaping @Sendable (HTTPRequest, TokenBearer) async throws -> HTTPResponse
    ) -> Admission {
        admitting(bearer.grant.holder) { [authenticator] request in
            defer { if changesRights { authenticator.outdate(bearer.hash) } }
            let current = try await changesRights ? authenticator.renewed(bearer) : authenticator.current(bearer)
            return try await respond(request, current)
        }
    }

    private func answering(_ body: () throws(Problem) -> Admission) -> Admission {
        do throws(Problem) { return try body() } catch { return .answer(error.response) }
    }

    private func response(to error: any Error, in request: HTTPRequest) -> HTTPResponse {
        if let problem = Problem(answering: error) {
            if let error = error as? PGError, error.needsOperator {
                databaseTrouble.failed(error, isSaid: troubleReminder.isDue())
            }
            return problem.response
        }
        // The path is never logged: it names a space, and perhaps a subject or an invitation.
        let operation = (try? RouteTable.route(request.method, request.segments))?.operation.name ?? Metrics.unrouted
        log.error("request failed", error, ["operation": .text(operation)])
        return Problem.internalFault.response
    }

    private func engine(of request: HTTPRequest, _ path: PathTemplate) throws(Problem) -> SyncEngine {
        let app = path.value(of: .app, in: request.segments)
        guard let engine = engines[app] else {
            let known = engines.keys.sorted().joined(separator: ", ")
            throw .notFound("There is no app ‘\(shortened(app))’; there is \(known).")
        }
        return engine
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
    fileprivate static let ok = HTTPResponse.json { $0.ok() }

    /// Returns a response of status 200 with a JSON body.
    static func json(type: String = "application/json", _ content: (inout JSONWriter) -> Void) -> HTTPResponse {
        var writer = JSONWriter()
        content(&writer)
        return HTTPResponse(status: 200, headers: ["Content-Type": type], body: writer.bytes)
    }
}
