import PGStore
package import Postgres
package import SyncEngine
package import WireFormats

/// The operations on the tokens that the server itself issues. Each operation that changes something records it in the
/// audit log.
package struct Tokens: Sendable {
    private let session: Session

    /// The default time for which a replaced token stays valid, a week. Every device in regular use connects within a
    /// week, so nobody who is away for a few days must sign in again.
    package static let graceDefault = Duration.seconds(7 * 86_400)

    /// - Parameter session: a session with the login that owns the tables.
    package init(_ session: Session) {
        self.session = session
    }

    /// Makes a token and stores only its hash.
    ///
    /// - Parameter expiry: the time when the token expires; `nil` for never.
    /// - Returns: the token with its secret, which cannot be read again later.
    /// - Throws: `PastMoment` if `expiry` is not in the future; `PGError`.
    package func create(_ grant: Grant, until expiry: Moment? = nil) async throws -> NewToken {
        let secret = Secret()
        let end = try expiry?.time(at: try await session.currentTime())
        try await session.transaction { session in
            try TokenStore.add(secret, grant, expiry: end, session)
            let id = TokenID(ofHash: secret.hash)
            try session.execute(
                OperatorEvents.noting(
                    "token create", app: grant.app,
                    detail: "\(id), \(grant.role.rawValue), until \(end.map(\.description) ?? "it is revoked")"))
        }
        return NewToken(secret: secret, grant: grant, expires: end)
    }

    /// Returns tokens in the order of their creation, together with the database's current time. By this time a caller
    /// can tell which tokens have expired.
    ///
    /// - Parameters:
    ///   - app: the app whose tokens are returned, together with the tokens that are valid for all apps; `nil` for all
    ///     tokens.
    ///   - subject: the subject whose tokens are returned; `nil` for those of all subjects.
    /// - Throws: `PGError`.
    package func all(
        app: String? = nil, subject: Subject? = nil
    ) async throws -> (tokens: [IssuedToken], now: Timestamp) {
        (try await IssuedToken.all(app: app, subject: subject, session), try await session.currentTime())
    }

    /// Revokes a token.
    ///
    /// - Returns: the state that the token had before.
    /// - Throws: `TokenError.unknown`, `PGError`.
    package func revoke(_ id: TokenID) async throws -> IssuedToken.State {
        try await session.transaction { session in
            let token = try Tokens.found(id, session)
            let state = token.state(at: try session.currentTime())
            if state != .revoked {
                try token.revoke(session)
                try session.execute(OperatorEvents.noting("token revoke", app: token.grant.app, detail: "\(id)"))
            }
            return state
        }
    }

    /// Replaces a token by a new one with the same grant. The old token stays valid for `grace`, or until its own
    /// expiry if that is earlier.
    ///
    /// - Parameter expiry: the time when the new token expires. If it is `nil`, the new token is valid for as long as
    ///   the old one was from its creation.
    /// - Throws: `TokenError` if the old token is unknown or no longer valid; `PastMoment` if `expiry` is not in the
    ///   future; `PGError`.
    package func rotate(
        _ id: TokenID, grace: Duration = graceDefault, until expiry: Moment? = nil
    ) async throws -> RotatedToken {
        let secret = Secret()
        return try await session.transaction { session in
            let old = try Tokens.found(id, session)
            let time = try session.currentTime()
            let state = old.state(at: time)
            guard state == .valid else { throw TokenError.notValid(id, state) }
            let lifetime = old.expires.map { $0.since(old.created) }
            let expires = try expiry?.time(at: time) ?? lifetime.map { time.adding($0) }
            let end = time.adding(grace)
            try old.rotate(to: secret, expiry: expires, ending: end, session)
            let detail = "\(id) by \(TokenID(ofHash: secret.hash)), until \(end)"
            try session.execute(OperatorEvents.noting("token rotate", app: old.grant.app, detail: detail))
            return RotatedToken(
                new: NewToken(secret: secret, grant: old.grant, expires: expires), replaced: id,
                replacedEnds: old.expires.map { min($0, end) } ?? end)
        }
    }

    private static func found(_ id: TokenID, _ session: isolated Session) throws -> IssuedToken {
        guard let token = try IssuedToken.locked(id, session) else { throw TokenError.unknown(id) }
        return token
    }
}

/// A token that was just made. Only this value contains the secret; the database has its hash.
package struct NewToken: Sendable {
    package let secret: Secret
    package let grant: Grant
    /// The time when the token expires; `nil` for never.
    package let expires: Timestamp?

    package var id: TokenID { TokenID(ofHash: secret.hash) }
}

/// A token that replaces another.
package struct RotatedToken: Sendable {
    package let new: NewToken
    package let replaced: TokenID
    /// The time when the replaced token expires.
    package let replacedEnds: Timestamp
}

/// The errors of operations on one token.
package enum TokenError: Error, Hashable {
    case unknown(TokenID)
    /// A token that cannot be replaced, because it has expired or was revoked.
    case notValid(TokenID, IssuedToken.State)
}
