import HTTPServer
import WireFormats

/// What a path below a space asks for.
struct SpaceRoute {
    let engine: SyncEngine
    /// As it stands in the path.
    let space: String
    let action: Action

    enum Action {
        case push, pull, sync, events

        /// Whether it takes a token that may write.
        var writes: Bool {
            switch self {
            case .push, .sync: true
            case .pull, .events: false
            }
        }
    }

    /// - Throws: 404 or 405.
    init(_ request: HTTPRequest, engine: SyncEngine) throws(Problem) {
        self.engine = engine
        space = request.segments[4]
        switch (request.segments[5], request.method) {
        case ("changes", .get), ("changes", .head): action = .pull
        case ("events", .get), ("events", .head): action = .events
        case ("changes", .post): action = .push
        case ("sync", .post): action = .sync
        case ("changes", _): throw .methodNotAllowed("GET, POST")
        case ("events", _): throw .methodNotAllowed("GET")
        case ("sync", _): throw .methodNotAllowed("POST")
        default: throw .notFound("No such path below a space. See docs/protocol.md.")
        }
    }
}
