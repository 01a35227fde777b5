/// Who may call an endpoint, as the tests have it: written down here a second time, because what the server says of
/// itself cannot show what it forgets.
struct AccessRule {
    /// The least that a caller must be.
    let least: Standing
    /// A body that the endpoint takes.
    var body: String?
    /// The status of its answer to whoever may call it.
    var success = 200

    /// What a caller is to the space that a request is about.
    enum Standing: Int, Comparable {
        /// Not known to the server at all.
        case stranger
        /// Known, and not in the space.
        case outsider
        case reader
        case editor
        case owner

        static func < (one: Standing, other: Standing) -> Bool { one.rawValue < other.rawValue }
    }

    /// By method and path. An endpoint that is not here makes the test fail.
    static let all: [String: AccessRule] = [
        "GET /healthz": AccessRule(least: .stranger),
        "GET /readyz": AccessRule(least: .stranger),
        "GET /openapi.json": AccessRule(least: .stranger),
        "GET /v1/apps": AccessRule(least: .stranger),
        "GET /v1/apps/{app}": AccessRule(least: .stranger),
        "GET /v1/apps/{app}/versions/{version}/schema.json": AccessRule(least: .stranger),
        "POST /v1/apps/{app}/spaces/{space}/changes": AccessRule(least: .editor, body: #"{"changes": []}"#),
        "GET /v1/apps/{app}/spaces/{space}/changes": AccessRule(least: .reader),
        "POST /v1/apps/{app}/spaces/{space}/sync": AccessRule(least: .editor, body: #"{"changes": []}"#),
        "GET /v1/apps/{app}/spaces/{space}/events": AccessRule(least: .reader),
    ]
}
