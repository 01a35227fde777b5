package import PGStore
import WireFormats

/// The tokens in the database.
package enum TokenStore {
    /// Stores a token under its hash.
    package static func add(_ secret: Secret, _ grant: Grant, _ session: isolated Session) throws(PGError) {
        try session.execute(
            Command(
                "INSERT INTO sync.token (secret_hash, app, subject, role, spaces) VALUES ($1, $2, $3, $4, $5)",
                [
                    .bytes(secret.hash), .text(grant.app), .text(grant.subject), .text(grant.role.rawValue),
                    .ids(grant.spaces),
                ]))
    }

    /// The token with this hash, unless it was revoked. `(hash, grant)`.
    static func find(_ hash: [UInt8], _ session: isolated Session) throws(PGError) -> ([UInt8], Grant)? {
        let rows = try session.execute(
            Command(
                """
                SELECT secret_hash, app, subject, role, array_to_string(spaces, ',')
                FROM sync.token
                WHERE secret_hash = $1 AND revoked_at IS NULL
                """, [.bytes(hash)]))
        guard rows.count == 1, let role = Grant.Role(rawValue: rows.string(0, 3)) else { return nil }
        let spaces = rows.string(0, 4).split(separator: ",").compactMap { ID(String($0)) }
        let grant = Grant(app: rows.stringIfPresent(0, 1), subject: rows.string(0, 2), role: role, spaces: spaces)
        return (rows.bytes(0, 0), grant)
    }
}
