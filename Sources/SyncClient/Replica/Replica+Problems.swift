import PlantedBugs
import WireFormats

/// The reason why syncing has stopped until the user or the app does something.
public enum SyncAttention: Sendable, Hashable {
    /// A token that is missing, invalid, expired or revoked: let the user sign in again.
    case signIn
    /// A user who is not, or no longer, a member of the space.
    case removed
    /// A role of the user that does not allow the request. The text is the server's message.
    case forbidden(String)
    /// A space that somebody has erased.
    case erased
    /// A version of the app that the server no longer serves. The user must update the app; the updated app then sends
    /// the outbox.
    case updateApp(detail: String, link: String?)
    /// A version of the app that the server does not know yet. The text is the server's message.
    case serverTooOld(String)
    /// A space that has reached its quota. The text is the server's message.
    case full(String)
    /// Any other failure, with a description. Usually the server has rejected a request as malformed, because of a bug
    /// in the app or in the server. A failure of the app's own store is another example.
    case fault(String)
}

/// The next step after the server has refused a request.
package enum SyncDirective: Sendable, Hashable {
    /// A request without a pause, which `Replica.nextRequest` makes.
    case again
    /// A pause before the next request, in seconds, as the server asks for it. If it is `nil`, the pause grows with
    /// each attempt.
    case wait(seconds: Double?)
    /// A new token: the app is asked for one, and then the next request is sent.
    case renewToken
    /// A stop until the user or the app does something. `retryAfter` is a time in seconds after which the next request
    /// is sent anyway, because the cause may have passed; `nil` for no such request.
    case stop(SyncAttention, retryAfter: Double?)
}

extension Replica {
    var nextBatchIsEmpty: Bool {
        get throws {
            guard holdsOtherVersions else { return try storage.pending(first: 1).isEmpty }
            return try !storage.pending(first: limits.changes).contains { $0.version == schema.header }
        }
    }

    /// Handles the server's refusal of the current request. The server has stored nothing of that request.
    ///
    /// The store changes only if the answer has an error code of the protocol. Other answers, such as those of a proxy,
    /// leave it as it is.
    package mutating func take(_ problem: ServerProblem, of request: SyncRequest) throws -> SyncDirective {
        let hadCursor = request.cursor != nil
        // A proxy may accept less than the server.
        if problem.status == ProblemCode.tooLarge.status { return try shrink(request, problem) }
        guard let code = problem.known else { return .wait(seconds: problem.retryAfter) }
        switch code {
        case .cursorExpired: return hadCursor ? dropCursor(of: request) : .wait(seconds: nil)
        case .epochChanged: return hadCursor ? try recover(request) : .wait(seconds: nil)
        case .spaceErased: return .stop(.erased, retryAfter: ReplicaLimits.stopReviewSeconds)
        case .malformed where hadCursor && request.kind != .offer: return doubtCursor(request, problem)
        case .outboxClosed: return try setOut(problem, request)
        case .schemaUnknown:
            // The unknown version may be that of a change: pulls and other changes go on.
            if !holdsOtherVersions, try hasOtherVersions(request) {
                holdsOtherVersions = true
                return .again
            }
            return .stop(.serverTooOld(problem.detail), retryAfter: problem.retryAfter ?? 300)
        case .unauthenticated: return .renewToken
        case .notAMember: return .stop(.removed, retryAfter: ReplicaLimits.stopReviewSeconds)
        case .forbidden: return .stop(.forbidden(problem.detail), retryAfter: ReplicaLimits.stopReviewSeconds)
        case .versionRetired:
            if PlantedClientBug.endedGivenUp.isPlanted { _ = try storage.takePending(request.positions) }
            return .stop(
                .updateApp(detail: problem.detail, link: problem.link), retryAfter: ReplicaLimits.stopReviewSeconds)
        case .quotaExceeded: return .stop(.full(problem.detail), retryAfter: problem.retryAfter ?? 300)
        case .timeout, .rateLimited, .internal, .quarantineFull, .serverOutdated, .spaceMoving, .keysUnavailable,
            .overloaded,
            .notReady, .notWritable, .httpVersionNotSupported:
            return .wait(seconds: problem.retryAfter)
        case .malformed, .notFound, .invitationUnknown, .methodNotAllowed, .schemaAmbiguous, .lastOwner, .tooMany,
            .sharedSpaces, .lengthRequired, .tooLarge, .unsupportedMediaType, .unsupportedEncoding, .headersTooLarge:
            return fault(problem)
        }
    }

    private func fault(_ problem: ServerProblem) -> SyncDirective {
        .stop(.fault(problem.description), retryAfter: problem.retryAfter ?? ReplicaLimits.stopReviewSeconds)
    }

    // MARK: Cursors

    /// Drops the cursor, so that the device reads the space from its beginning. Does nothing if another process has
    /// changed the cursor since the request.
    private mutating func dropCursor(of request: SyncRequest) -> SyncDirective {
        if storage.memo.cursor == request.cursor {
            storage.memo.cursor = nil
            storage.memo.isInitialSyncRunning = false
        }
        return .again
    }

    private mutating func recover(_ request: SyncRequest) throws -> SyncDirective {
        if storage.memo.cursor == request.cursor {
            try storage.setAside()
            storage.memo.recovery = .reading
        }
        return dropCursor(of: request)
    }

    /// Handles status 400 for a request with a cursor. The cursor may be invalid, because the answer that contained it
    /// may not have come from the server.
    ///
    /// After a push, the next request is a pull with the same cursor. If the server answers the pull, the fault is in
    /// the push. If the server refuses the pull, too, the cursor is dropped.
    private mutating func doubtCursor(_ request: SyncRequest, _ problem: ServerProblem) -> SyncDirective {
        if request.kind == .pull { return dropCursor(of: request) }
        if cursorTrust == .good { return fault(problem) }
        cursorTrust = .doubted
        return .again
    }

    /// Forgets what the server refused in earlier syncs, because the server may accept it by now. So changes made by
    /// other versions of the app are sent again, and the stored cursor is no longer in doubt.
    package mutating func tryAll() {
        holdsOtherVersions = false
        cursorTrust = .unasked
    }

    private func hasOtherVersions(_ request: SyncRequest) throws -> Bool {
        for position in request.positions {
            if let change = try storage.pending(at: position), change.version != schema.header { return true }
        }
        return false
    }

    /// Halves the size of the next push or offer after status 413 (too large). A change that is too large by itself
    /// leaves the outbox, and is reported to the user.
    private mutating func shrink(_ request: SyncRequest, _ problem: ServerProblem) throws -> SyncDirective {
        if request.kind == .offer, request.offered.count > 1 {
            limits.offered = max(1, request.offered.count / 2)
            return .again
        }
        if request.kind == .offer {
            guard problem.known != nil else { return .wait(seconds: problem.retryAfter) }
            try storage.removeAside(request.offered)
            return .again
        }
        if request.positions.count > 1 {
            limits.changes = max(1, request.positions.count / 2)
            return .again
        }
        // A proxy may accept less than the server. A change that nothing else refuses stays, and the user sees that it
        // waits.
        guard problem.known != nil, !request.positions.isEmpty else { return .wait(seconds: problem.retryAfter) }
        return try setOut(request.positions, problem) ? .again : fault(problem)
    }

    private mutating func setOut(_ problem: ServerProblem, _ request: SyncRequest) throws -> SyncDirective {
        let positions = problem.changes.filter { request.positions.indices.contains($0) }.map { request.positions[$0] }
        return try setOut(positions, problem) ? .again : fault(problem)
    }

    /// Moves changes that cannot be sent from the outbox to the conflicts that the user sees. Returns false if the
    /// outbox had none of these changes.
    private mutating func setOut(_ positions: [Int64], _ problem: ServerProblem) throws -> Bool {
        let taken = try storage.takePending(Set(positions).sorted())
        for change in taken { try note(.unsendable, change, code: problem.code, detail: problem.detail) }
        return !taken.isEmpty
    }
}
