/// The names of HTTP headers that the protocol gives a meaning: docs/protocol.md, *Requests*, *Versions that end* and
/// *Rates*.
package enum HeaderName {
    package static let authorization = "Authorization"
    /// The version of the app's models with which the client was built, or in which the response is written.
    package static let schemaVersion = "Schema-Version"
    /// The id of the replica, usually a device, that sends the request.
    package static let deviceID = "Device-Id"
    /// The age of the device's oldest unsent change, in seconds.
    package static let outboxAge = "Outbox-Age"
    /// The header of a push that says if its changes contain whole records or only edited attributes. Its value is a
    /// `ChangeModeName`.
    package static let changeMode = "Change-Mode"
    /// The header by which a client states that no field in its changes merely repeats a value that it has read. Its
    /// only value is `HeaderName.noRepetitions`. Absent if the client does not state this.
    package static let repetitions = "Repetitions"

    /// The number of the space's latest change.
    package static let syncHead = "Sync-Head"
    /// The current time of the server, which is that of its database.
    package static let serverTime = "Server-Time"
    /// The id by which the server's log identifies the request.
    package static let requestID = "X-Request-Id"

    /// The time to wait before the next attempt, in seconds.
    package static let retryAfter = "Retry-After"
    package static let rateLimit = "RateLimit"
    package static let rateLimitPolicy = "RateLimit-Policy"
    /// The date since which the version is deprecated (RFC 9745).
    package static let deprecation = "Deprecation"
    /// The date on which the version is to be retired (RFC 8594).
    package static let sunset = "Sunset"
    package static let link = "Link"
    package static let allow = "Allow"

    /// The only value of the `Repetitions` header.
    package static let noRepetitions = "none"

    /// The request headers that the protocol itself specifies, beyond HTTP's own rules.
    package static let ofRequests = [authorization, schemaVersion, deviceID, outboxAge, changeMode, repetitions]
    /// The headers that the protocol itself specifies, beyond HTTP's own rules, for responses about a space's changes.
    package static let ofAnswers = [schemaVersion, syncHead, requestID, serverTime]
}

/// The values of `HeaderName.changeMode`: docs/protocol.md, *Whole records*.
package enum ChangeModeName: String, CaseIterable, Sendable {
    /// `fields` contains only the attributes that the user edited.
    case patch
    /// `fields` contains all attributes of the record on the client, edited or not.
    case whole
}

/// The media types of bodies: docs/protocol.md, *Requests*, *Events* and *Problems*.
package enum MediaType {
    package static let json = "application/json"
    package static let problem = "application/problem+json"
    package static let schema = "application/schema+json"
    package static let events = "text/event-stream"
}
