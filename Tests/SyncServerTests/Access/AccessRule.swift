/// Who may call an endpoint, as the tests have it: written down here a second time, because what the server says of
/// itself cannot show what it forgets.
struct AccessRule {
    /// The least that a caller must be.
    let least: Relation
    /// A body that the endpoint takes.
    var body: String?
    /// The status of its answer to whoever may call it.
    var success = 200
    /// True if a token that may only read is not enough.
    var needsWriting = false
    /// True if the call ends what other calls need: then only one caller makes it, after all the others.
    var isLast = false

    /// The relation of a caller to the space that a request is about.
    enum Relation: Int, Comparable {
        /// Not known to the server at all.
        case unauthenticated
        /// Known in another app.
        case elsewhere
        /// Known, and not in the space.
        case outsider
        case reader
        case editor
        case owner

        static func < (one: Relation, other: Relation) -> Bool { one.rawValue < other.rawValue }
    }

    /// By method and path. An endpoint that is not here makes the test fail.
    static let all: [String: AccessRule] = [
        "GET /healthz": AccessRule(least: .unauthenticated),
        "GET /readyz": AccessRule(least: .unauthenticated),
        "GET /openapi.json": AccessRule(least: .unauthenticated),
        "GET /v1/apps": AccessRule(least: .unauthenticated),
        "GET /v1/apps/{app}": AccessRule(least: .unauthenticated),
        "GET /v1/apps/{app}/versions/{version}/schema.json": AccessRule(least: .unauthenticated),
        "POST /v1/apps/{app}/spaces/{space}/changes": AccessRule(least: .reader, body: #"{"changes": []}"#),
        "GET /v1/apps/{app}/spaces/{space}/changes": AccessRule(least: .reader),
        "POST /v1/apps/{app}/spaces/{space}/sync": AccessRule(least: .reader, body: #"{"changes": []}"#),
        "GET /v1/apps/{app}/spaces/{space}/events": AccessRule(least: .reader),
        "GET /v1/apps/{app}/spaces": AccessRule(least: .outsider),
        "POST /v1/apps/{app}/spaces": AccessRule(least: .outsider, success: 201, needsWriting: true),
        // Whoever may ask is told that there is no such invitation.
        "POST /v1/apps/{app}/invitations/accept": AccessRule(
            least: .outsider, body: #"{"secret": "invite_guessed"}"#, success: 404, needsWriting: true),
        "GET /v1/apps/{app}/spaces/{space}/members": AccessRule(least: .reader),
        "PUT /v1/apps/{app}/spaces/{space}/members/{subject}": AccessRule(
            least: .owner, body: #"{"role": "reader"}"#),
        "GET /v1/apps/{app}/spaces/{space}/invitations": AccessRule(least: .owner),
        "POST /v1/apps/{app}/spaces/{space}/invitations": AccessRule(
            least: .owner, body: #"{"role": "reader"}"#, success: 201),
        "DELETE /v1/apps/{app}/spaces/{space}/invitations/{invitation}": AccessRule(least: .owner, success: 204),
        // Of another than the caller.
        "DELETE /v1/apps/{app}/spaces/{space}/members/{subject}": AccessRule(
            least: .owner, success: 204, isLast: true),
        "DELETE /v1/apps/{app}/spaces/{space}": AccessRule(least: .owner, isLast: true),
        "DELETE /v1/apps/{app}/account": AccessRule(least: .outsider, needsWriting: true, isLast: true),
    ]
}
