import HTTPServer
import SyncEngine

/// The table of all routes of the API.
package enum RouteTable {
    package static let all: [Route] = [
        Route(.get, "/healthz", .open(.health)),
        Route(.get, "/readyz", .open(.readiness)),
        Route(.get, "/openapi.json", .open(.openAPI)),
        Route(.get, "/v1/apps", .open(.apps)),
        Route(.get, "/v1/apps/{app}", .open(.app)),
        Route(.get, "/v1/apps/{app}/versions/{version}/schema.json", .open(.schema)),
        Route(.post, "/v1/apps/{app}/spaces/{space}/changes", .space(.push)),
        Route(.get, "/v1/apps/{app}/spaces/{space}/changes", .space(.pull)),
        Route(.post, "/v1/apps/{app}/spaces/{space}/sync", .space(.sync)),
        Route(.get, "/v1/apps/{app}/spaces/{space}/events", .space(.events)),
        Route(.get, "/v1/apps/{app}/spaces", .account(.listSpaces)),
        Route(.post, "/v1/apps/{app}/spaces", .account(.makeSpace)),
        Route(.delete, "/v1/apps/{app}/spaces/{space}", .sharing(.eraseSpace)),
        Route(.get, "/v1/apps/{app}/spaces/{space}/members", .sharing(.listMembers)),
        Route(.put, "/v1/apps/{app}/spaces/{space}/members/{subject}", .sharing(.changeMember)),
        Route(.delete, "/v1/apps/{app}/spaces/{space}/members/{subject}", .sharing(.removeMember)),
        Route(.get, "/v1/apps/{app}/spaces/{space}/invitations", .sharing(.listInvitations)),
        Route(.post, "/v1/apps/{app}/spaces/{space}/invitations", .sharing(.invite)),
        Route(
            .delete, "/v1/apps/{app}/spaces/{space}/invitations/{invitation}", .sharing(.withdrawInvitation)),
        Route(.post, "/v1/apps/{app}/invitations/accept", .account(.acceptInvitation)),
        Route(.delete, "/v1/apps/{app}/account", .account(.eraseAccount)),
    ]

    /// The routes by the number of their segments, so that few are compared.
    private static let bySize = Dictionary(grouping: all, by: \.path.segments.count)

    /// Returns the route of a request. HEAD is routed as GET.
    ///
    /// - Throws: 404 or 405, before the caller is authenticated: both reveal nothing beyond this table.
    static func route(_ method: HTTPMethod, _ path: [String]) throws(Problem) -> Route {
        let method = method == .head ? .get : method
        let there = bySize[path.count, default: []].filter { $0.path.matches(path) }
        if let route = there.first(where: { $0.method == method }) { return route }
        if there.isEmpty { throw .notFound("No such path. See docs/protocol.md.") }
        throw .methodNotAllowed(there.map(\.method.token).sorted().joined(separator: ", "))
    }
}
