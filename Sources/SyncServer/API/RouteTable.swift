import HTTPServer
import SyncEngine
import WireFormats

/// The table of all routes of the API.
package enum RouteTable {
    package static let all: [Route] = [
        Route(.get, .health, .open(.health)),
        Route(.get, .readiness, .open(.readiness)),
        Route(.get, .openAPI, .open(.openAPI)),
        Route(.get, .apps, .open(.apps)),
        Route(.get, .app, .open(.app)),
        Route(.get, .schema, .open(.schema)),
        Route(.post, .changes, .space(.push)),
        Route(.get, .changes, .space(.pull)),
        Route(.post, .sync, .space(.sync)),
        Route(.get, .events, .space(.events)),
        Route(.get, .spaces, .account(.listSpaces)),
        Route(.post, .spaces, .account(.makeSpace)),
        Route(.delete, .space, .sharing(.eraseSpace)),
        Route(.get, .members, .sharing(.listMembers)),
        Route(.put, .member, .sharing(.changeMember)),
        Route(.delete, .member, .sharing(.removeMember)),
        Route(.get, .invitations, .sharing(.listInvitations)),
        Route(.post, .invitations, .sharing(.invite)),
        Route(
            .delete, .invitation, .sharing(.withdrawInvitation)),
        Route(.post, .acceptance, .account(.acceptInvitation)),
        Route(.delete, .account, .account(.eraseAccount)),
    ]

    /// The routes by the number of their segments, so that few are compared.
    private static let bySize = Dictionary(grouping: all, by: \.path.segments.count)

    /// Returns the route of a request. HEAD is routed as GET.
    ///
    /// - Throws: 404 or 405, before the caller is authenticated. The errors reveal only which routes exist, which is no
    ///   secret.
    static func route(_ method: HTTPMethod, _ path: [String]) throws(Problem) -> Route {
        let method = method == .head ? .get : method
        let there = bySize[path.count, default: []].filter { $0.path.matches(path) }
        if let route = there.first(where: { $0.method == method }) { return route }
        if there.isEmpty { throw .notFound("No such path. See docs/protocol.md.") }
        throw .methodNotAllowed(there.map(\.method.token).sorted().joined(separator: ", "))
    }
}
