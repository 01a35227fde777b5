/// The names of HTTP headers that the protocol gives a meaning: docs/protocol.md, *Requests*, *Versions that end* and
/// *Rates*.
package enum HeaderName {
    package static let authorization = "Authorization"
    /// The version that the client is built with, or that the answer is in.
    package static let schemaVersion = "Schema-Version"
    /// The replica that sends the request.
    package static let deviceID = "Device-Id"
    /// The age of the device's oldest unsent change, in seconds.
    package static let outboxAge = "Outbox-Age"
    /// A `ChangeModeName`.
    package static let changeMode = "Change-Mode"
    /// `HeaderName.noRepetitions`, or absent.
    package static let repetitions = "Repetitions"

    /// The number of the space's latest change.
    package static let syncHead = "Sync-Head"
    /// The server's time, which is the database's.
    package static let serverTime = "Server-Time"
    /// The request's name in the server's log.
    package static let requestID = "X-Request-Id"

    /// The pause before the next attempt, in seconds.
    package static let retryAfter = "Retry-After"
    package static let rateLimit = "RateLimit"
    package static let rateLimitPolicy = "RateLimit-Policy"
    /// The date since which the version is deprecated (RFC 9745).
    package static let deprecation = "Deprecation"
    /// The date on which the version is to end (RFC 8594).
    package static let sunset = "Sunset"
    package static let link = "Link"
    package static let allow = "Allow"

    /// The one value of `repetitions`.
    package static let noRepetitions = "none"

    /// The headers of requests, without those that only HTTP defines.
    package static let ofRequests = [authorization, schemaVersion, deviceID, outboxAge, changeMode, repetitions]
    /// The headers of the answers about a space's changes, without those that only HTTP defines.
    package static let ofAnswers = [schemaVersion, syncHead, requestID, serverTime]
}

/// The values of `HeaderName.changeMode`: docs/protocol.md, *Whole records*.
package enum ChangeModeName: String, CaseIterable, Sendable {
    /// `fields` are the user's edits.
    case patch
    /// `fields` are all that the client holds.
    case whole
}

/// The media types of bodies: docs/protocol.md, *Requests*, *Events* and *Problems*.
package enum MediaType {
    package static let json = "application/json"
    package static let problem = "application/problem+json"
    package static let schema = "application/schema+json"
    package static let events = "text/event-stream"
}
