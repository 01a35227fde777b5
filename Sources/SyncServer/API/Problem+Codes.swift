import HTTPServer
import OpenID
import PGStore
import Postgres
import StrictJSON
import SyncEngine
import WireFormats

/// All problems that the API returns, except those that `HTTPServer` returns by itself. docs/protocol.md lists them
/// too.
extension Problem {
    /// Creates a problem that the sync protocol defines.
    ///
    /// - Parameter extensions: additional members of the response's body. The values are JSON texts.
    init(
        _ code: ProblemCode, title: String, detail: String? = nil, extensions: [(JSONKey, String)] = [],
        headers: HTTPHeaders = [:]
    ) {
        self.init(
            status: code.status, code: code.rawValue, title: title, detail: detail,
            extensions: extensions.map { (name: $0.0.description, json: $0.1) }, headers: headers)
    }

    static let unauthenticated = Problem(
        .unauthenticated, title: "A valid bearer token is needed",
        detail: "Send ‘Authorization: Bearer …’ with a token from ‘syncserver token create’.",
        headers: ["WWW-Authenticate": "Bearer"])

    static func forbidden(_ detail: String) -> Problem {
        Problem(.forbidden, title: "The token does not allow this", detail: detail)
    }

    static func takesARole(_ least: SpaceRole, yours: SpaceRole) -> Problem {
        .forbidden("This takes the role ‘\(least.rawValue)’ in the space; yours is ‘\(yours.rawValue)’.")
    }

    /// The problem for a caller who is not a member; the same whether the space exists or not.
    static let notAMember = Problem(
        .notAMember, title: "The space is not one of yours",
        detail:
            "You are not in it, or no longer. Keep what you have not sent until your user has decided about it, and "
            + "drop the rest: see ‘Members’ in docs/protocol.md.")

    static let erased = Problem(
        .spaceErased, title: "The space was erased",
        detail: "Nothing of it is left, and nothing can be put into it. Drop your store of it.")

    static let lastOwner = Problem(
        .lastOwner, title: "A space must have an owner",
        detail: "Make another member an owner first, or erase the space.")

    static func tooMany(_ detail: String) -> Problem {
        Problem(.tooMany, title: "There are as many as there may be", detail: detail)
    }

    static func sharedSpaces(_ spaces: [ID]) -> Problem {
        Problem(
            .sharedSpaces, title: "Others are in spaces that only you own",
            detail: "The account stays, and so do these. Make another member an owner of each of ‘spaces’, or erase "
                + "them first.",
            extensions: [(BodyMember.spaces, json(spaces.map(\.description)))])
    }

    /// The problem for an invalid invitation; the same whether it expired, was accepted or withdrawn, or never existed,
    /// so that guessing reveals nothing.
    static let noSuchInvitation = Problem(
        .invitationUnknown, title: "The invitation is not good, or no longer",
        detail: "It may have been accepted, withdrawn, or too old. Ask for another.")

    static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, title: "There is nothing here", detail: detail)
    }

    static func methodNotAllowed(_ allowed: String) -> Problem {
        Problem(
            .methodNotAllowed, title: "The method is not allowed here",
            detail: "Use \(allowed).", headers: [HeaderName.allow: allowed])
    }

    static let unsupportedMediaType = Problem(
        .unsupportedMediaType, title: "The body's type is not supported",
        detail: "Send ‘Content-Type: application/json’.")

    /// The problem for a client whose schema version the server does not know, for example because the client is newer.
    /// The client keeps its unsent changes and tries again later.
    static func schemaUnknown(_ detail: String, known: [String]) -> Problem {
        Problem(
            .schemaUnknown, title: "The server does not know this schema version", detail: detail,
            extensions: [(BodyMember.known, json(known))],
            headers: [HeaderName.retryAfter: "\(deployPauseSeconds)"])
    }

    /// The problem for a push whose version number is that of several schemas. Its changes use names that the assumed
    /// schema does not have, but another schema of that number has. Nothing is finally rejected, because the changes
    /// may be valid in that schema. The client keeps them, and sends its schema's fingerprint with the number.
    static func schemaAmbiguous(change index: Int, version: String, known: [String]) -> Problem {
        Problem(
            .schemaAmbiguous, title: "Several shapes have this schema version",
            detail: "Change \(index) names what \(version) does not have, and another shape of that number does. "
                + "Nothing was stored. Keep the outbox, and state the fingerprint of your models with the number, "
                + "as ‘known’ does: in ‘Schema-Version’, or in the ‘version’ of the change.",
            extensions: [(BodyMember.known, json(known))], headers: [HeaderName.retryAfter: "\(deployPauseSeconds)"])
    }

    private static func json(_ texts: [String]) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The time, in seconds, after which a client retries a request that needs a newer or corrected server. A new
    /// server is usually deployed within minutes, so earlier retries would probably fail.
    private static let deployPauseSeconds = 300

    /// The problem for a version that is retired for all clients. Its `detail` is a text for the user of the app.
    static func versionRetired(_ version: String, _ lifecycle: VersionStates.Row, current: String) -> Problem {
        var extensions = [(BodyMember.version, json(version)), (BodyMember.current, json(current))]
        if let until = lifecycle.outboxUntil { extensions.append((BodyMember.outboxUntil, json(until.description))) }
        if let link = lifecycle.link { extensions.append((BodyMember.link, json(link))) }
        return Problem(
            .versionRetired, title: "This version of the app is no longer supported",
            detail: "Please update the app. What has not been sent yet is kept, and sent after the update.",
            extensions: extensions)
    }

    /// The problem for changes that were written in a version whose changes are no longer accepted.
    static func outboxClosed(changes: [Int], version: String) -> Problem {
        Problem(
            .outboxClosed, title: "Changes of this version are no longer taken",
            detail: "Nothing was stored. The changes of ‘changes’ were written in \(version), which was retired. Keep "
                + "them, show them to your user, and send the others without them.",
            extensions: [
                (BodyMember.changes, "[\(changes.map(String.init).joined(separator: ","))]"),
                (BodyMember.version, json(version)),
            ],
            headers: [HeaderName.retryAfter: "86400"])
    }

    private static func json(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static let epochChanged = Problem(
        .epochChanged, title: "The database is not the one that the cursor is from",
        detail: "Drop the cursor and pull afresh; keep the outbox, and push again what you have.")

    static let cursorExpired = Problem(
        .cursorExpired, title: "The cursor is older than the deletions that the space remembers",
        detail: "Keep the outbox, drop the cursor and pull afresh; after the last page drop the records that no page"
            + " named and that were not edited here meanwhile.")

    static let quarantineFull = Problem(
        .quarantineFull, title: "Too many changes of the space wait for the server to be fixed",
        detail: "Nothing was stored. Keep the outbox, and try again after the operator has replayed what is held.",
        headers: [HeaderName.retryAfter: "\(deployPauseSeconds)"])

    /// The problem for a push to a space that a newer server already writes to, as happens during a deployment. Nothing
    /// is stored. The client's next request may reach a newer server.
    static let outdated = Problem(
        .serverOutdated, title: "A newer server has taken the space over",
        detail: "Nothing was stored. Send it again: another server will take it.", headers: [HeaderName.retryAfter: "1"]
    )

    /// The problem for a request to a space that is being moved to another database. A move takes less than a second.
    static let spaceMoving = Problem(
        .spaceMoving, title: "The space is being moved to another database",
        detail: "Nothing was stored. Send it again.", headers: [HeaderName.retryAfter: "1"])

    static func tooManyChanges(_ count: Int, max: Int) -> Problem {
        .tooLarge("The push has \(count) changes; send at most \(max) at a time.")
    }

    static func tooMuchToRead(_ bytes: Int, max: Int) -> Problem {
        .tooLarge(
            "The push edits values of \(bytes) bytes; one push may read \(max) bytes. Nothing was stored. "
                + "Send fewer changes at a time.")
    }

    static func tooManyReturning(max: Int) -> Problem {
        .tooLarge(
            "The push creates records again with which more than \(max) others went that would come back. Nothing was "
                + "stored. Give the new record an id of its own.")
    }

    static let tooManyLevels = Problem.tooLarge(
        "The push creates a record again with which others went, and others with those, over too many levels. Nothing "
            + "was stored. Give the new record an id of its own.")

    /// The problem for a push over a quota of the space. The client keeps its changes: somebody may delete records, or
    /// the quota may be raised.
    static func quotaExceeded(_ quota: SyncError.Quota, held: Int64, more: Int64, most: Int64) -> Problem {
        let what = quota == .records ? "records" : "bytes"
        return Problem(
            .quotaExceeded, title: "The space is full",
            detail: "It holds \(held) \(what), the push would add \(more), and it may hold \(most). Nothing was "
                + "stored. Keep the outbox; deletions are always taken, in a push of their own.",
            extensions: [
                (BodyMember.quota, json(quota.rawValue)), (BodyMember.held, "\(held)"), (BodyMember.most, "\(most)"),
            ], headers: [HeaderName.retryAfter: "\(fullPauseSeconds)"])
    }

    /// The time, in seconds, after which a client retries a push that was over a quota. Somebody must delete records or
    /// raise the quota first. After that, the user should not wait long.
    private static let fullPauseSeconds = 300

    static func tooMuchRepeated(_ bytes: Int, max: Int) -> Problem {
        .tooLarge(
            "The push edits large records again and again: its changes after the first of each record go through "
                + "\(bytes) bytes of them, and one push may go through \(max). Nothing was stored. Send fewer changes "
                + "at a time.")
    }

    /// The problem for a request with a large body when too many such requests wait already.
    static let tooManyLargeBodies = Problem.overloaded(
        "Too many large requests wait. Try again, or send fewer changes at a time.")

    static let busy = Problem.overloaded("Try again.")

    /// The problem for a request whose token cannot be looked up now, because too many requests wait for look-ups.
    static let tooManyLookUps = Problem.overloaded(
        "Too many tokens wait to be looked up. Yours was not; try again.")

    /// The problem for a token whose issuer's keys cannot be fetched now, so that its signature cannot be checked. The
    /// token may well be valid.
    static func keysUnavailable(retryAfter: Duration) -> Problem {
        Problem(
            .keysUnavailable, title: "Your sign-in cannot be checked now",
            detail: "The keys of your token's issuer could not be fetched. Keep the token, and try again.",
            headers: [HeaderName.retryAfter: "\(max(1, retryAfter.components.seconds))"])
    }

    static let notReady = Problem(
        .notReady, title: "The database cannot be reached", detail: "Try again.",
        headers: [HeaderName.retryAfter: "2"])

    /// The readiness answer of a server that is about to stop. The server still serves: only the load balancer's probe
    /// gets this problem.
    static let draining = Problem(
        .notReady, title: "The server is about to stop", detail: "Try another server, or again.",
        headers: [HeaderName.retryAfter: "2"])

    /// The problem when the database's disk is full, or the database is set to read-only. The log says which.
    static let notWritable = Problem(
        .notWritable, title: "The database takes no changes at the moment",
        detail: "Nothing was stored. Keep the outbox and send it again later; reading may go on.",
        headers: [HeaderName.retryAfter: "\(repairPauseSeconds)"])

    /// The time before a client may retry when the database accepts no writes, in seconds. A failover takes some
    /// seconds, and freeing disk space takes longer; devices that retry sooner only fail again.
    private static let repairPauseSeconds = 30

    /// The problem for a fault of the server; the log has the error.
    static let internalFault = Problem(
        .internal, title: "The server failed", detail: "Nothing was stored. Try again later.")

    /// Converts any error into the problem to answer with. Returns `nil` for a fault of the server itself, about which
    /// the operator must be told.
    init?(answering error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as JSONError: self = .malformed("The body is not strict JSON. \(error)")
        case SyncError.malformed(let detail): self = .malformed(detail)
        case SyncError.badCursor:
            self = .malformed("The cursor is not one of this space; send one that it gave you, or none.")
        case SyncError.epochChanged: self = .epochChanged
        case SyncError.cursorExpired: self = .cursorExpired
        case SyncError.quarantineFull: self = .quarantineFull
        case SyncError.outdated: self = .outdated
        case SyncError.elsewhere: self = .spaceMoving
        case SyncError.unreachable: self = .notReady
        case SyncError.erased: self = .erased
        case SyncError.outboxClosed(let changes, let version):
            self = .outboxClosed(changes: changes, version: version)
        case let error as SharingError: self = Problem(error)
        case let error as KeysUnavailable: self = .keysUnavailable(retryAfter: error.retryAfter)
        case SyncError.unknownVersion(let index, let absence, let known):
            self = .schemaUnknown(
                "Change \(index) was written in it, and nothing was stored. \(absence)", known: known)
        case SyncError.ambiguousVersion(let index, let version, let known):
            self = .schemaAmbiguous(change: index, version: version, known: known)
        case SyncError.tooManyChanges(let count, let max): self = .tooManyChanges(count, max: max)
        case SyncError.tooMuchToRead(let bytes, let max): self = .tooMuchToRead(bytes, max: max)
        case SyncError.tooManyReturning(let max): self = .tooManyReturning(max: max)
        case SyncError.tooManyLevels: self = .tooManyLevels
        case SyncError.tooMuchRepeated(let bytes, let max): self = .tooMuchRepeated(bytes, max: max)
        case SyncError.quotaExceeded(let quota, let held, let more, let most):
            self = .quotaExceeded(quota, held: held, more: more, most: most)
        case SyncError.busy, SyncError.rightsChanged: self = .busy
        case PGError.poolTimeout, PGError.poolOverloaded, PGError.tooManyConnections, PGError.lockTimeout,
            PGError.statementTimeout, PGError.serialization, PGError.deadlock, PGError.outOfResources:
            self = .busy
        case PGError.readOnly, PGError.diskFull: self = .notWritable
        // A later release's migration was applied. Another server may run that release.
        case let error as PGError where error.isOfOtherTables: self = .outdated
        case PGError.unreachable, PGError.connectionLost, PGError.commitUnknown, PGError.poolClosed, PGError.cancelled:
            self = .notReady
        case PGError.rollbackFailed(let cause, let rollback):
            guard let problem = Problem(answering: cause) ?? Problem(answering: rollback) else { return nil }
            self = problem
        default: return nil
        }
    }

    private init(_ error: SharingError) {
        switch error {
        case .notAMember: self = .notAMember
        case .takesARole(let least, let yours): self = .takesARole(least, yours: yours)
        case .tokenEnded: self = .unauthenticated
        case .erased: self = .erased
        case .noSuchMember: self = .notFound("The space has no such member.")
        case .lastOwner: self = .lastOwner
        case .noSuchInvitation: self = .noSuchInvitation
        case .tooManyMembers(let most):
            self = .tooMany("A space has at most \(most) members; or you are in as many spaces as you may.")
        case .tooManyInvitations:
            self = .tooMany(
                "\(SpaceSharing.invitationsMax) invitations to the space wait to be accepted. Withdraw some.")
        case .tooManySpaces(let most): self = .tooMany("You may be in \(most) spaces. Leave or erase some.")
        case .sharedSpaces(let spaces): self = .sharedSpaces(spaces)
        }
    }
}
