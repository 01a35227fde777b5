import HTTPServer
import SyncEngine
import WireFormats

/// The checked right of a subject to do something in an app: it exists only after the check.
struct AccountAccess {
    let engine: SyncEngine
    let bearer: TokenBearer

    /// The rights that the bearer's token gives.
    var grant: Grant { bearer.grant }
    var actor: Actor { Actor(bearer) }

    /// Checks that the bearer may run `operation` in the app.
    ///
    /// - Throws: 401, 403.
    init(_ engine: SyncEngine, for operation: AccountOperation, _ bearer: TokenBearer) throws(Problem) {
        let grant = bearer.grant
        let app = engine.plan.app
        try grant.require(app: app)
        guard !operation.changesSomething || grant.role == .write else {
            throw .forbidden("The token may only read.")
        }
        self.engine = engine
        self.bearer = bearer
    }
}
