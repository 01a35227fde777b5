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

    /// The tokens with these hashes that were not revoked.
    package static func find(_ hashes: [[UInt8]], _ session: isolated Session) throws(PGError) -> [[UInt8]: Grant] {
        var wanted = ArrayParameter(.bytea, capacity: hashes.count)
        for hash in hashes { wanted.append(bytes: hash) }
        let rows = try session.execute(
            Command(
                """
                SELECT secret_hash, app, subject, role, array_to_string(spaces, ','), (
                    SELECT string_agg(concat_ws(' ', m.app, m.space_id, m.role, m.is_personal), ',')
                    FROM sync.memberships(token.subject) AS m WHERE token.app IS NULL OR m.app = token.app
                )
                FROM sync.token
                WHERE secret_hash = ANY ($1) AND revoked_at IS NULL
                """, [wanted.finished()]))
        var found: [[UInt8]: Grant] = [:]
        for row in 0..<rows.count {
            guard let role = Grant.Role(rawValue: rows.string(row, 3)) else { continue }
            let spaces = rows.string(row, 4).split(separator: ",").compactMap { ID(String($0)) }
            let joined = Joined(rows.stringIfPresent(row, 5) ?? "")
            found[rows.bytes(row, 0)] = Grant(
                app: rows.stringIfPresent(row, 1), subject: rows.string(row, 2), role: role, spaces: spaces,
                memberships: joined.memberships, personal: joined.personal)
        }
        return found
    }

    /// What a subject is in.
    private struct Joined {
        var memberships: [SpaceName: SpaceRole] = [:]
        var personal: [String: ID] = [:]

        /// - Parameter text: for each space, divided by commas, the app, the space, the role and whether it is the
        ///   personal one. None of them has a comma or a space.
        init(_ text: String) {
            for membership in text.split(separator: ",") {
                let parts = membership.split(separator: " ").map(String.init)
                guard parts.count == 4, let space = ID(parts[1]), let role = SpaceRole(rawValue: parts[2]) else {
                    continue
                }
                memberships[SpaceName(app: parts[0], space: space)] = role
                if parts[3] == "t" { personal[parts[0]] = space }
            }
        }
    }
}
