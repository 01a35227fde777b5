import HTTPServer
import SyncEngine
import WireFormats

/// The space that a request names, and the operation on it; together with a grant they decide if the operation is
/// allowed.
struct SpaceTarget {
    let engine: SyncEngine
    let operation: Route.Operation
    let leastRole: SpaceRole
    /// The space's segment of the path.
    private let text: String

    init(_ text: String, of engine: SyncEngine, for operation: Route.Operation, _ leastRole: SpaceRole) {
        self.text = text
        self.engine = engine
        self.operation = operation
        self.leastRole = leastRole
    }

    /// Returns the access that `grant` gives to the space.
    ///
    /// - Throws: 401, 403 or 404.
    func access(_ grant: Grant) throws(Problem) -> SpaceAccess {
        try SpaceAccess(text, of: engine, for: operation, leastRole, grant)
    }

    /// True if the path means the caller's personal space and it does not exist yet.
    func needsPersonalSpace(_ grant: Grant) -> Bool {
        SpaceAccess.needsPersonalSpace(text, grant, in: engine.plan.app)
    }
}
