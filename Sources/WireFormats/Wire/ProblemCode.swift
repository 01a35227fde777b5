/// The codes of error responses (problems), each of which has one HTTP status: docs/protocol.md, *Problems*.
package enum ProblemCode: String, CaseIterable, Sendable {
    case malformed
    case unauthenticated
    case forbidden
    case notAMember = "not-a-member"
    case notFound = "not-found"
    case invitationUnknown = "invitation-unknown"
    case methodNotAllowed = "method-not-allowed"
    case timeout
    case schemaUnknown = "schema-unknown"
    case schemaAmbiguous = "schema-ambiguous"
    case lastOwner = "last-owner"
    case tooMany = "too-many"
    case sharedSpaces = "shared-spaces"
    case outboxClosed = "outbox-closed"
    case spaceErased = "space-erased"
    case epochChanged = "epoch-changed"
    case cursorExpired = "cursor-expired"
    case lengthRequired = "length-required"
    case tooLarge = "too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case unsupportedEncoding = "unsupported-encoding"
    case versionRetired = "version-retired"
    case rateLimited = "rate-limited"
    case headersTooLarge = "headers-too-large"
    case `internal`
    case quarantineFull = "quarantine-full"
    case serverOutdated = "server-outdated"
    case spaceMoving = "space-moving"
    case keysUnavailable = "keys-unavailable"
    case overloaded
    case notReady = "not-ready"
    case notWritable = "not-writable"
    case httpVersionNotSupported = "http-version-not-supported"
    case quotaExceeded = "quota-exceeded"

    /// The HTTP status of a response with this code.
    package var status: Int {
        switch self {
        case .malformed: 400
        case .unauthenticated: 401
        case .forbidden, .notAMember: 403
        case .notFound, .invitationUnknown: 404
        case .methodNotAllowed: 405
        case .timeout: 408
        case .schemaUnknown, .schemaAmbiguous, .lastOwner, .tooMany, .sharedSpaces, .outboxClosed: 409
        case .spaceErased, .epochChanged, .cursorExpired: 410
        case .lengthRequired: 411
        case .tooLarge: 413
        case .unsupportedMediaType, .unsupportedEncoding: 415
        case .versionRetired: 426
        case .rateLimited: 429
        case .headersTooLarge: 431
        case .internal: 500
        case .quarantineFull, .serverOutdated, .spaceMoving, .keysUnavailable, .overloaded, .notReady, .notWritable: 503
        case .httpVersionNotSupported: 505
        case .quotaExceeded: 507
        }
    }

    /// True if the code is used only for requests about members, invitations, spaces and accounts. Requests for a
    /// space's changes, sync or events never get it.
    package var isOfSharing: Bool {
        switch self {
        case .invitationUnknown, .lastOwner, .tooMany, .sharedSpaces: true
        default: false
        }
    }
}
