package import Postgres
package import WireFormats

/// A token that this server issued, and no identity provider, as operators see it.
package struct IssuedToken: Sendable {
    package let id: TokenID
    package let grant: Grant
    package let created: Timestamp
    package let expires: Timestamp?
    /// The time of the last use, accurate to an hour.
    package let lastUsed: Timestamp?
    package let revoked: Timestamp?
    /// The id of the token that this token replaces; `nil` if it replaces none.
    package let replaces: TokenID?
    private let hash: [UInt8]

    /// The validity of a token.
    package enum State: String, Sendable {
        case valid
        case expired
        case revoked
    }

    package func state(at now: Timestamp) -> State {
        if revoked != nil { return .revoked }
        if let expires, expires <= now { return .expired }
        return .valid
    }

    /// Returns all tokens in the order of their creation, or only those of an app or a subject. A token for all apps
    /// counts for each app.
    package static func all(
        app: String? = nil, subject: Subject? = nil, _ session: isolated Session
    ) throws(PGError) -> [IssuedToken] {
        try read(
            Command(
                """
                SELECT secret_hash, app, subject, role, array_to_string(spaces, ','), created_at, expires_at,
                    last_used_at, revoked_at, rotated_from
                FROM sync.token
                WHERE ($1 IS NULL OR app IS NULL OR app = $1) AND ($2 IS NULL OR subject = $2)
                ORDER BY created_at, secret_hash
                """, [.text(app), .text(subject?.text)]), session)
    }

    /// Returns the token with this id, and locks its row until the transaction ends; `nil` if there is none.
    package static func locked(_ id: TokenID, _ session: isolated Session) throws(PGError) -> IssuedToken? {
        let (first, last) = id.hashes
        return try read(
            Command(
                """
                SELECT secret_hash, app, subject, role, array_to_string(spaces, ','), created_at, expires_at,
                    last_used_at, revoked_at, rotated_from
                FROM sync.token WHERE secret_hash BETWEEN $1 AND $2 FOR UPDATE
                """, [.bytes(first), .bytes(last)]), session
        ).first
    }

    /// Removes all of a subject's tokens for one app.
    ///
    /// - Returns: `(table, rows)`, the number of rows removed from each table.
    package static func forget(
        _ subject: Subject, app: String, _ session: isolated Session
    ) throws(PGError) -> Rows {
        try session.execute(
            Command(
                "SELECT table_name, row_count FROM sync.forget_subject($1, $2)", [.text(app), .text(subject.text)]))
    }

    /// Revokes the token: it is invalid from now on.
    package func revoke(_ session: isolated Session) throws(PGError) {
        try session.execute(
            Command("UPDATE sync.token SET revoked_at = now() WHERE secret_hash = $1", [.bytes(hash)]))
    }

    /// Stores a new token with the same rights, which replaces this one, and lets this token expire at `end` at the
    /// latest.
    ///
    /// - Parameter expiry: the time when the new token expires; `nil` for never.
    package func rotate(
        to secret: Secret, expiry: Timestamp?, ending end: Timestamp, _ session: isolated Session
    ) throws(PGError) {
        try TokenStore.add(secret, grant, expiry: expiry, replacing: hash, session)
        try session.execute(
            Command(
                "UPDATE sync.token SET expires_at = least(expires_at, $2) WHERE secret_hash = $1",
                [.bytes(hash), .timestamp(end)]))
    }

    private static func read(_ command: Command, _ session: isolated Session) throws(PGError) -> [IssuedToken] {
        let rows = try session.execute(command)
        return (0..<rows.count).map { row in
            let grant = Grant(
                app: rows.stringIfPresent(row, 1), subject: Subject(rows.string(row, 2)),
                role: Grant.Role(rawValue: rows.string(row, 3)) ?? .read,
                spaces: rows.string(row, 4).split(separator: ",").compactMap { ID(String($0)) })
            let hash = rows.bytes(row, 0)
            return IssuedToken(
                id: TokenID(ofHash: hash), grant: grant, created: rows.timestamp(row, 5),
                expires: rows.timestampIfPresent(row, 6), lastUsed: rows.timestampIfPresent(row, 7),
                revoked: rows.timestampIfPresent(row, 8),
                replaces: rows.isNull(row, 9) ? nil : TokenID(ofHash: rows.bytes(row, 9)), hash: hash)
        }
    }
}
