import PlantedBugs
import WireFormats

/// Why a device does not sync until somebody does something.
public enum SyncAttention: Sendable, Hashable {
    /// The token is none, has expired or was revoked: let the user sign in again.
    case signIn
    /// The user is no member of the space, or no longer.
    case removed
    /// The user's role does not allow it.
    case forbidden(String)
    /// Somebody has erased the space.
    case erased
    /// This version of the app has ended: it must be updated. The outbox is sent by the newer one.
    case updateApp(detail: String, link: String?)
    /// The server does not know this version of the app yet.
    case serverTooOld(String)
    /// The space is full.
    case full(String)
    /// The server finds fault with what the app does: a bug, here or there.
    case fault(String)
}

/// What to do after a problem.
public enum SyncDirective: Sendable, Hashable {
    /// Ask for the next request at once.
    case again
    /// Wait, for as long as the server says, or a little longer each time.
    case wait(seconds: Double?)
    /// Get a new token, then again.
    case renewToken
    /// Nothing helps but the user, or the app. What may pass by itself says after how many seconds to try.
    case stop(SyncAttention, retryAfter: Double?)
}

extension Replica {
    var nextBatchIsEmpty: Bool {
        get throws {
            guard holdsOtherVersions else { return try storage.pending(first: 1).isEmpty }
            return try !storage.pending(first: limits.changes).contains { $0.version == schema.header }
        }
    }

    /// Takes in that the request under way was refused. Nothing of it was stored.
    ///
    /// Only the protocol's own words change anything: what else answers costs time.
    public mutating func take(_ problem: ServerProblem, of request: SyncRequest) throws -> SyncDirective {
        let hadCursor = request.cursor != nil
        switch (problem.status, problem.code) {
        case (413, _): return try shrink(request, problem)
        case (_, ""): return .wait(seconds: problem.retryAfter)
        case (410, "cursor-expired"): return hadCursor ? dropCursor(of: request) : .wait(seconds: nil)
        case (410, "epoch-changed"): return hadCursor ? try recover(request) : .wait(seconds: nil)
        case (410, _): return .stop(.erased, retryAfter: ReplicaLimits.stopReviewSeconds)
        case (400, _) where hadCursor && request.kind != .offer: return doubtCursor(request, problem)
        case (409, "outbox-closed"): return try setOut(problem, request)
        case (409, "schema-unknown"):
            // The version of a change may be what is unknown: pulls and other changes go on.
            if !holdsOtherVersions, try hasOtherVersions(request) {
                holdsOtherVersions = true
                return .again
            }
            return .stop(.serverTooOld(problem.detail), retryAfter: problem.retryAfter ?? 300)
        case (401, _): return .renewToken
        case (403, "not-a-member"): return .stop(.removed, retryAfter: ReplicaLimits.stopReviewSeconds)
        case (403, _): return .stop(.forbidden(problem.detail), retryAfter: ReplicaLimits.stopReviewSeconds)
        case (426, _):
            if PlantedClientBug.endedGivenUp.isPlanted { _ = try storage.takePending(request.places) }
            return .stop(
                .updateApp(detail: problem.detail, link: problem.link), retryAfter: ReplicaLimits.stopReviewSeconds)
        case (507, _): return .stop(.full(problem.detail), retryAfter: problem.retryAfter ?? 300)
        case (408, _), (429, _), (500..., _): return .wait(seconds: problem.retryAfter)
        default: return fault(problem)
        }
    }

    private func fault(_ problem: ServerProblem) -> SyncDirective {
        .stop(.fault(problem.description), retryAfter: problem.retryAfter ?? ReplicaLimits.stopReviewSeconds)
    }

    // MARK: Cursors

    /// Begins anew, unless another process has already.
    private mutating func dropCursor(of request: SyncRequest) -> SyncDirective {
        if storage.memo.cursor == request.cursor {
            storage.memo.cursor = nil
            storage.memo.isWalking = false
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

    /// A cursor may be one that the server never gave: something else has answered once. A pull tells whether it is the
    /// cursor that cannot be read, or the changes.
    private mutating func doubtCursor(_ request: SyncRequest, _ problem: ServerProblem) -> SyncDirective {
        if request.kind == .pull { return dropCursor(of: request) }
        if cursorTrust == .good { return fault(problem) }
        cursorTrust = .doubted
        return .again
    }

    /// After a pause: the server may know more versions by now.
    public mutating func tryAll() {
        holdsOtherVersions = false
        cursorTrust = .unasked
    }

    private func hasOtherVersions(_ request: SyncRequest) throws -> Bool {
        for place in request.places {
            if let change = try storage.pending(at: place), change.version != schema.header { return true }
        }
        return false
    }

    /// Half of it next time. What is too large by itself goes out of the way, to the user.
    private mutating func shrink(_ request: SyncRequest, _ problem: ServerProblem) throws -> SyncDirective {
        if request.kind == .offer, request.offered.count > 1 {
            limits.offered = max(1, request.offered.count / 2)
            return .again
        }
        if request.kind == .offer {
            guard problem.isProtocols else { return .wait(seconds: problem.retryAfter) }
            try storage.removeAside(request.offered)
            return .again
        }
        if request.places.count > 1 {
            limits.changes = max(1, request.places.count / 2)
            return .again
        }
        // A proxy may take less than the server. A change that nobody else refuses stays, and is seen.
        guard problem.isProtocols, !request.places.isEmpty else { return .wait(seconds: problem.retryAfter) }
        return try setOut(request.places, problem) ? .again : fault(problem)
    }

    private mutating func setOut(_ problem: ServerProblem, _ request: SyncRequest) throws -> SyncDirective {
        let places = problem.changes.filter { request.places.indices.contains($0) }.map { request.places[$0] }
        return try setOut(places, problem) ? .again : fault(problem)
    }

    /// Takes changes out of the outbox that cannot be sent, and keeps them for the user.
    private mutating func setOut(_ places: [Int64], _ problem: ServerProblem) throws -> Bool {
        let taken = try storage.takePending(Set(places).sorted())
        for change in taken { try note(.unsendable, change, code: problem.code, detail: problem.detail) }
        return !taken.isEmpty
    }
}
