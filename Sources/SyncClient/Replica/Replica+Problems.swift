import WireFormats

/// An answer that is an error, as `application/problem+json` has it.
public struct ServerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let status: Int
    /// The protocol's code; empty where there was none, such as from a proxy.
    public let code: String
    public let detail: String
    /// Seconds.
    public let retryAfter: Double?
    /// A page for people.
    public let link: String?
    /// Of `outbox-closed`, the places of the changes that are not taken.
    public let changes: [Int]

    /// - Parameters:
    ///   - body: whatever came.
    ///   - retryAfter: of the header.
    public init(status: Int, body: [UInt8], retryAfter: Double?) {
        let root = (try? JSONDocument(parsing: body))?.root
        self.status = status
        code = root?["code"]?.string ?? ""
        detail = root?["detail"]?.string ?? root?["title"]?.string ?? ""
        link = root?["link"]?.string
        changes = root?["changes"]?.elements?.compactMap { $0.int64.flatMap { Int(exactly: $0) } } ?? []
        self.retryAfter = retryAfter
    }

    public var description: String { "The server answered \(status) \(code): \(detail)" }
}

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
    public mutating func take(_ problem: ServerProblem, of request: SyncRequest) throws -> SyncDirective {
        switch (problem.status, problem.code) {
        case (410, "cursor-expired"):
            storage.memo.cursor = nil
            storage.memo.isWalking = false
            return .again
        case (410, "epoch-changed"):
            try storage.setAside()
            storage.memo.recovery = .reading
            storage.memo.cursor = nil
            storage.memo.isWalking = false
            return .again
        case (410, _): return .stop(.erased, retryAfter: nil)
        case (413, _): return try shrink(request, problem)
        case (409, "outbox-closed"): return try setOut(problem, request)
        case (409, "schema-unknown"):
            // The version of a change may be what is unknown: pulls and other changes go on.
            if !holdsOtherVersions, try hasOtherVersions(request) {
                holdsOtherVersions = true
                return .again
            }
            return .stop(.serverTooOld(problem.detail), retryAfter: problem.retryAfter ?? 300)
        case (401, _): return .renewToken
        case (403, "not-a-member"): return .stop(.removed, retryAfter: nil)
        case (403, _): return .stop(.forbidden(problem.detail), retryAfter: nil)
        case (426, _): return .stop(.updateApp(detail: problem.detail, link: problem.link), retryAfter: nil)
        case (507, _): return .stop(.full(problem.detail), retryAfter: problem.retryAfter ?? 300)
        case (408, _), (429, _), (500..., _): return .wait(seconds: problem.retryAfter)
        default: return .stop(.fault(problem.description), retryAfter: problem.retryAfter ?? 3600)
        }
    }

    /// After a pause: the server may know more versions by now.
    public mutating func tryAll() { holdsOtherVersions = false }

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
            try storage.removeAside(request.offered)
            return .again
        }
        if request.places.count > 1 {
            limits.changes = max(1, request.places.count / 2)
            return .again
        }
        return try setOut(request.places, problem)
            ? .again : .stop(.fault(problem.description), retryAfter: problem.retryAfter ?? 3600)
    }

    private mutating func setOut(_ problem: ServerProblem, _ request: SyncRequest) throws -> SyncDirective {
        let places = problem.changes.filter { request.places.indices.contains($0) }.map { request.places[$0] }
        return try setOut(places, problem) ? .again : .stop(.fault(problem.description), retryAfter: 3600)
    }

    /// Takes changes out of the outbox that cannot be sent, and keeps them for the user.
    private mutating func setOut(_ places: [Int64], _ problem: ServerProblem) throws -> Bool {
        let taken = try storage.takePending(Set(places).sorted())
        for change in taken { try note(.unsendable, change, code: problem.code, detail: problem.detail) }
        return !taken.isEmpty
    }
}
