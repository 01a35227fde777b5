import HTTPServer
import SyncEngine
import WireFormats

/// The head of a request for an operation that needs a token, and the checks that need no more than the head.
struct Call: Sendable {
    let request: HTTPRequest
    let route: Route
    /// The engine of the app that the path names.
    let engine: SyncEngine
    /// The rate limits that were in force when the request's head arrived; `nil` for none.
    private let rates: RateLimiter?

    init(request: HTTPRequest, route: Route, engine: SyncEngine, _ rates: RateLimiter?) {
        self.request = request
        self.route = route
        self.engine = engine
        self.rates = rates
    }

    /// An operation, and the checked right to run it.
    enum Access {
        case account(AccountOperation, AccountAccess)
        case sharing(SharingOperation, SpaceAccess)
        case space(SpaceOperation, SpaceAccess)
    }

    /// Charges the request to the rate limits of its token and its subject.
    func charge(_ bearer: TokenBearer) throws(Problem) {
        try rates?.take(.token, of: bearer.hash)
        try rates?.take(.subject, of: bearer.holder)
    }

    /// Charges the request to the rate limit of its space. Does nothing if the operation concerns no particular space.
    func charge(_ access: Access) throws(Problem) {
        switch access {
        case .account: return
        case .sharing(_, let access), .space(_, let access):
            try rates?.take(.space, of: SpaceName(app: engine.plan.app, space: access.space))
        }
    }

    /// Checks that the bearer may run the operation.
    ///
    /// - Throws: 401, 403 or 404.
    func authorize(_ bearer: TokenBearer) throws(Problem) -> Access {
        switch route.operation {
        case .open: preconditionFailure("An open operation needs no token.")
        case .account(let operation): .account(operation, try AccountAccess(engine, for: operation, bearer))
        case .sharing(let operation): .sharing(operation, try spaceAccess(operation.leastRole, bearer))
        case .space(let operation): .space(operation, try spaceAccess(operation.leastRole, bearer))
        }
    }

    /// Checks that the bearer has at least the role `leastRole` in the space that the path names.
    ///
    /// - Throws: 401, 403 or 404.
    func spaceAccess(_ leastRole: SpaceRole, _ bearer: TokenBearer) throws(Problem) -> SpaceAccess {
        try SpaceAccess(pathSpace, of: engine, for: route.operation, leastRole, bearer)
    }

    /// Returns true if the path names the caller's personal space and that space does not exist yet.
    func needsPersonalSpace(_ grant: Grant) -> Bool {
        switch route.operation {
        case .open, .account: false
        case .sharing, .space: SpaceAccess.needsPersonalSpace(pathSpace, grant, in: engine.plan.app)
        }
    }

    /// The segment of the request's path that names the space.
    private var pathSpace: String { route.path.value(of: .space, in: request.segments) }
}
