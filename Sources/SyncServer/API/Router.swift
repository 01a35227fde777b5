package import HTTPServer
import PGMigrations
import PGStore
import Postgres
import StrictJSON
import SyncEngine
import WireFormats

/// Authenticates each request and dispatches it to the code that answers it. The list of routes is in `RouteTable`.
///
/// The head alone decides as much as possible: a request without a valid token, with a token that does not reach the
/// space, or with an unknown version is answered before its body.
package final class Router: Sendable {
    let engines: [String: SyncEngine]
    let authenticator: Authenticator
    let readiness: Readiness
    let hub: EventHub
    let registration: ServerRegistration
    let clock: HybridClock
    let live: LivePolicy
    let metrics: Metrics
    let log: Log
    let openAPI: OpenAPIPage
    let largeBodies = LargeBodies()
    let databaseTrouble: Outage
    let troubleReminder = Reminder()
    let unheardProxy: UnheardProxy

    init(
        engines: [SyncEngine], authenticator: Authenticator, readiness: Readiness, hub: EventHub,
        registration: ServerRegistration, clock: HybridClock, policy: LivePolicy, metrics: Metrics,
        log: Log
    ) {
        self.engines = Dictionary(uniqueKeysWithValues: engines.map { ($0.plan.app, $0) })
        openAPI = OpenAPIPage(engines.map(\.plan))
        self.authenticator = authenticator
        self.readiness = readiness
        self.hub = hub
        self.registration = registration
        self.clock = clock
        live = policy
        self.metrics = metrics
        self.log = log
        databaseTrouble = Outage(
            log, failing: "the database is in trouble", working: "the database takes what is pushed again")
        unheardProxy = UnheardProxy(log)
    }

    /// Decides from a request's head if the request is admitted. Finds the route, identifies the sender, charges its
    /// rate limits and checks its rights.
    ///
    /// A request that fails one of these checks is answered with a problem. If a check needs a query to the database,
    /// the remaining checks run after the query. No thread waits for it.
    package func decide(on request: HTTPRequest) -> Admission {
        let policy = live.current
        let route = Result { () throws(Problem) in try RouteTable.route(request.method, request.segments) }
        let observer = RequestObserver(of: request, try? route.get(), policy, metrics: metrics, log: log)
        if let preflight = policy.origins.preflight(request) { return observer.observing(.answer(preflight)) }
        do throws(Problem) {
            let route = try route.get()
            if case .open(let operation) = route.operation {
                return observer.observing(try answer(operation, request, route.path))
            }
            let call = Call(request: request, route: route, engine: try engine(of: request, route.path), policy.rates)
            let admission =
                switch try identify(call) {
                case .bearer(let bearer): try decide(on: call, by: bearer)
                case .lookUp(let token, let network): lookUp(token, from: network, for: call)
                }
            return observer.observing(admission)
        } catch {
            return observer.observing(.answer(error.response))
        }
    }

    /// Decides on a request whose sender is identified: charges the sender, authorizes it, charges the space, and
    /// admits the request.
    ///
    /// - Parameter isRenewed: true if this is the second decision on the request, made after the sender's personal
    ///   space was created; the sender has been charged already.
    func decide(on call: Call, by bearer: TokenBearer, isRenewed: Bool = false) throws(Problem) -> Admission {
        if !isRenewed {
            try call.charge(bearer)
            if call.needsPersonalSpace(bearer.grant) { return makePersonalSpace(for: call, of: bearer) }
        }
        let access = try call.authorize(bearer)
        try call.charge(access)
        return try admit(call, as: access)
    }
}
