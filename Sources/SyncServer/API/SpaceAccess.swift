import HTTPServer
import PlantedBugs
import SyncEngine
import WireFormats

/// The checked right of a caller to do something in a space: it exists only after the check.
struct SpaceAccess {
    let engine: SyncEngine
    let space: ID
    let bearer: TokenBearer
    let role: SpaceRole
    /// The number of times that rights of the space's members had been revoked when the token was looked up. If this
    /// number has changed when the operation runs, the operation is refused (see `SpaceState.revocations`). `nil` if
    /// the number does not matter.
    let revocations: Int64?

    /// The rights that the bearer's token gives.
    var grant: Grant { bearer.grant }

    /// True if the token itself names the space, so that membership does not matter.
    var isNamed: Bool { grant.spaces.contains(space) }

    /// Checks that the bearer may run `operation` in the space.
    ///
    /// - Parameter space: the segment of the path that names the space.
    /// - Throws: 401, 403 or 404.
    init(
        _ space: String, of engine: SyncEngine, for operation: Route.Operation, _ leastRole: SpaceRole,
        _ bearer: TokenBearer
    ) throws(Problem) {
        let (app, grant) = (engine.plan.app, bearer.grant)
        try grant.require(app: app)
        let id = try SpaceAccess.id(space, grant, app)
        let isUnchecked = PlantedBug.accessUnchecked.isPlanted && operation == .space(.pull)
        // The same answer whether the space exists or not, so that it reveals nothing about spaces of others.
        let name = SpaceName(app: app, space: id)
        guard let role = grant.role(in: name) ?? (isUnchecked ? .reader : nil) else { throw .notAMember }
        guard role >= leastRole else {
            throw .takesARole(leastRole, yours: role)
        }
        self.engine = engine
        self.space = id
        self.bearer = bearer
        self.role = role
        revocations = grant.revocations(in: name)
    }

    /// Returns true if `text`, the segment of the path that names the space, means the caller's personal space and that
    /// space does not exist yet.
    static func needsPersonalSpace(_ text: String, _ grant: Grant, in app: String) -> Bool {
        text == "me" && grant.reaches(app: app) && grant.ownSpace(in: app) == nil
    }

    private static func id(_ text: String, _ grant: Grant, _ app: String) throws(Problem) -> ID {
        if text == "me" {
            guard let own = grant.ownSpace(in: app) else { throw .notAMember }
            return own
        }
        guard let id = ID(text) else { throw .notFound("A space is a UUID, or ‘me’.") }
        return id
    }
}

extension Grant {
    /// Checks that the token reaches `app`.
    ///
    /// - Throws: 403 if the token is for another app; 401 if its subject's account in the app was erased after the
    ///   token was issued.
    func require(app: String) throws(Problem) {
        guard reaches(app: app) else { throw .forbidden("The token is for another app than \(app).") }
        if ended.contains(app) { throw .unauthenticated }
    }
}
