import HTTPServer
import SyncEngine
import WireFormats

/// A space as a request names it, and what is to be done there: from it and a grant follows whether that may be.
struct SpaceTarget {
    let engine: SyncEngine
    let operation: Route.Operation
    let leastRole: SpaceRole
    /// As it stands in the path.
    private let text: String

    init(_ text: String, of engine: SyncEngine, for operation: Route.Operation, _ leastRole: SpaceRole) {
        self.text = text
        self.engine = engine
        self.operation = operation
        self.leastRole = leastRole
    }

    /// - Throws: 403 or 404.
    func access(_ grant: Grant) throws(Problem) -> SpaceAccess {
        try SpaceAccess(text, of: engine, for: operation, leastRole, grant)
    }

    /// Whether it means a space that the caller is yet to be given.
    func needsPersonalSpace(_ grant: Grant) -> Bool {
        SpaceAccess.needsPersonalSpace(text, grant, in: engine.plan.app)
    }
}
