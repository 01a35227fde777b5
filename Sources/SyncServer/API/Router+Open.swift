import HTTPServer
import PGMigrations
import StrictJSON
import SyncEngine
import WireFormats

/// The operations that need no token.
extension Router {
    /// Returns the answer to a request for an operation that needs no token, such as a health check.
    func answer(
        _ operation: OpenOperation, _ request: HTTPRequest, _ path: PathTemplate
    ) throws(Problem) -> Admission {
        if operation.isRated { try charge(network: network(of: request)) }
        switch operation {
        case .health: return .answer(.ok)
        case .readiness:
            if registration.isOutdated { throw Problem.outdated }
            if readiness.isDraining { throw Problem.draining }
            if let isReady = readiness.known() { return .answer(isReady ? .ok : Problem.notReady.response) }
            return .lookUp { [readiness] in .answer(await readiness.ask() ? .ok : Problem.notReady.response) }
        case .openAPI: return .admit(nil) { [openAPI] _ in openAPI.response }
        case .apps:
            return .admit(nil) { [engines] _ in .json { AppsRoute(Array(engines.values)).writeAll(to: &$0) } }
        case .app:
            let engine = try engine(of: request, path)
            return .admit(nil) { _ in .json { AppsRoute([engine]).write(engine, to: &$0) } }
        case .schema:
            let plan = try engine(of: request, path).plan
            return .admit(nil) { request in
                do throws(Problem) {
                    return try AppsRoute.schema(of: path.value(of: .version, in: request.segments), plan)
                } catch {
                    return error.response
                }
            }
        }
    }

    /// Returns the engine of the app that the path names.
    ///
    /// - Throws: 404.
    func engine(of request: HTTPRequest, _ path: PathTemplate) throws(Problem) -> SyncEngine {
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
        key(BodyMember.status)
        string("ok")
        endObject()
    }
}

extension HTTPResponse {
    fileprivate static let ok = HTTPResponse.json { $0.ok() }
}
