package import Postgres
package import SyncEngine
package import WireFormats

/// A token that was made, as its operator sees it.
package struct IssuedToken: Sendable {
    package let id: TokenID
    package let grant: Grant
    package let created: Timestamp
    package let expires: Timestamp?
    /// To an hour.
    package let lastUsed: Timestamp?
    package let revoked: Timestamp?
    /// The token that this one was made to replace.
    package let replaces: TokenID?
    private let hash: [UInt8]

    /// Whether it lets anybody in.
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

    /// All tokens in the order in which they were made, or those of an app or a subject. One for all apps is of each.
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

    /// The token of this id; nobody else changes it before the transaction ends.
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

    /// Removes all tokens of a subject for one app.
    ///
    /// - Returns: `(table, rows)` of what went.
    package static func forget(
        _ subject: Subject, app: String, _ session: isolated Session
    ) throws(PGError) -> Rows {
        try session.execute(
            Command(
                "SELECT table_name, row_count FROM sync.forget_subject($1, $2)", [.text(app), .text(subject.text)]))
    }

    /// Lets nobody in by it from now on.
    package func revoke(_ session: isolated Session) throws(PGError) {
        try session.execute(
            Command("UPDATE sync.token SET revoked_at = now() WHERE secret_hash = $1", [.bytes(hash)]))
    }

    /// Stores one that allows the same, and lets this one go on until `end` at the latest.
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
