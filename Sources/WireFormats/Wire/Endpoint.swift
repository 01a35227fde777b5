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

    /// Returns the path with the given app and space in place of its parameters. `space` is ignored if the path has no
    /// such parameter. Neither value may need percent-encoding.
    package func path(app: String, space: String = "") -> String {
        rawValue.replacing("{\(PathParameter.app.rawValue)}", with: app)
            .replacing("{\(PathParameter.space.rawValue)}", with: space)
    }
}

/// The last segments of the paths that follow a space's path (`Endpoint.space`): its changes, sync and events.
package enum SpaceAction {
    package static let changes = "changes"
    package static let sync = "sync"
    package static let events = "events"
}

/// The names of the parameters that `Endpoint` contains in braces.
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

/// The names in the event stream of a space, which announces new changes: docs/protocol.md, *Events*.
package enum StreamEvent {
    /// The name of the only kind of event, and of the member in the event's data that contains the number of the
    /// space's latest change.
    package static let head = "head"
    /// The beginning of an event's `id` line, whose value is the number of the space's latest change.
    package static let headLine = "id: "
}
