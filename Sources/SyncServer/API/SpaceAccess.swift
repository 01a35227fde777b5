import HTTPServer
import PlantedBugs
import SyncEngine
import WireFormats

/// A space that whoever asks may do something in: only what was checked gets one.
struct SpaceAccess {
    let engine: SyncEngine
    let space: ID
    let grant: Grant
    let role: SpaceRole
    /// The count of rights that the space must have where something is done: see `Grant.rights`.
    let rights: Int64?

    /// Whether the token itself names the space, whoever is a member.
    var isNamed: Bool { grant.spaces.contains(space) }

    /// - Parameter space: as it stands in the path.
    /// - Throws: 401, 403 or 404.
    init(
        _ space: String, of engine: SyncEngine, for operation: Route.Operation, _ leastRole: SpaceRole, _ grant: Grant
    ) throws(Problem) {
        let app = engine.plan.app
        try grant.require(app: app)
        let id = try SpaceAccess.id(space, grant, app)
        let isUnchecked = PlantedBug.accessUnchecked.isPlanted && operation == .space(.pull)
        // The same answer whether the space exists or not: nothing is told about spaces of others.
        let name = SpaceName(app: app, space: id)
        guard let role = grant.role(in: name) ?? (isUnchecked ? .reader : nil) else { throw .notAMember }
        guard role >= leastRole else {
            throw .takesARole(leastRole, yours: role)
        }
        self.engine = engine
        self.space = id
        self.grant = grant
        self.role = role
        rights = grant.rights(in: name)
    }

    /// Whether a path means a space that the caller is yet to be given.
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
    /// - Throws: 403 where the token is for another app; 401 where its subject's account there was erased since then.
    func require(app: String) throws(Problem) {
        guard reaches(app: app) else { throw .forbidden("The token is for another app than \(app).") }
        if ended.contains(app) { throw .unauthenticated }
    }
}
