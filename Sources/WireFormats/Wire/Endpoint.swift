/// The paths of the protocol, with the names of their parameters in braces: docs/protocol.md, *Requests*, *Members* and
/// *Erasing*.
package enum Endpoint: String, CaseIterable, Sendable {
    case health = "/healthz"
    case readiness = "/readyz"
    case openAPI = "/openapi.json"
    case apps = "/v1/apps"
    case app = "/v1/apps/{app}"
    case schema = "/v1/apps/{app}/versions/{version}/schema.json"
    case changes = "/v1/apps/{app}/spaces/{space}/changes"
    case sync = "/v1/apps/{app}/spaces/{space}/sync"
    case events = "/v1/apps/{app}/spaces/{space}/events"
    case spaces = "/v1/apps/{app}/spaces"
    case space = "/v1/apps/{app}/spaces/{space}"
    case members = "/v1/apps/{app}/spaces/{space}/members"
    case member = "/v1/apps/{app}/spaces/{space}/members/{subject}"
    case invitations = "/v1/apps/{app}/spaces/{space}/invitations"
    case invitation = "/v1/apps/{app}/spaces/{space}/invitations/{invitation}"
    case acceptance = "/v1/apps/{app}/invitations/accept"
    case account = "/v1/apps/{app}/account"

    /// Returns the path for an app, and a space where the path has one. The values must need no encoding.
    package func path(app: String, space: String = "") -> String {
        rawValue.replacing("{\(PathParameter.app.rawValue)}", with: app)
            .replacing("{\(PathParameter.space.rawValue)}", with: space)
    }
}

/// The last segments of the paths of a space's changes, sync and events, which follow that of `Endpoint.space`.
package enum SpaceAction {
    package static let changes = "changes"
    package static let sync = "sync"
    package static let events = "events"
}

/// The parameters of paths, as `Endpoint` has them in braces.
package enum PathParameter: String, CaseIterable, Sendable {
    case app
    case version
    case space
    case subject
    case invitation
}

/// The parameters in the query of a pull: docs/protocol.md, *Pull*.
package enum QueryParameter {
    package static let cursor = "cursor"
    package static let limit = "limit"
    package static let stamps = "stamps"
}

/// The stream of a space's events: docs/protocol.md, *Events*.
package enum StreamEvent {
    /// The name of the one kind of event, and of the member of its data.
    package static let head = "head"
    /// The beginning of the line that has the space's head.
    package static let headLine = "id: "
}
