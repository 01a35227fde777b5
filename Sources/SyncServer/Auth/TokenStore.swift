import PlantedBugs
package import Postgres
package import SyncEngine
package import WireFormats

/// The tokens in the database, as serving sees them: what they allow, and that they are used.
package enum TokenStore {
    /// A token that is valid.
    package struct Found: Sendable {
        package let grant: Grant
        /// How much longer, by the database's clock; a year at most.
        let endsIn: Duration
        /// Whether it is to be noted that somebody uses it.
        let isUseDue: Bool
    }

    /// Stores a token under its hash.
    ///
    /// - Parameters:
    ///   - expiry: when it ends; `nil` for never.
    ///   - replaced: the hash of the token that it is to replace.
    package static func add(
        _ secret: Secret, _ grant: Grant, expiry: Timestamp? = nil, replacing replaced: [UInt8]? = nil,
        _ session: isolated Session
    ) throws(PGError) {
        try session.execute(
            Command(
                """
                INSERT INTO sync.token (secret_hash, app, subject, role, spaces, expires_at, rotated_from)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """,
                [
                    .bytes(secret.hash), .text(grant.app), .text(grant.subject.text), .text(grant.role.rawValue),
                    .ids(grant.spaces), .timestamp(expiry), .bytes(replaced),
                ]))
    }

    /// The tokens with these hashes that were not revoked and have not ended.
    package static func find(_ hashes: [[UInt8]], _ session: isolated Session) throws(PGError) -> [[UInt8]: Found] {
        if hashes.isEmpty { return [:] }
        let rows = try session.execute(
            Command(
                """
                SELECT secret_hash, app, subject, role, array_to_string(spaces, ','), (
                        SELECT string_agg(concat_ws(' ', m.app, m.space_id, m.role, m.is_personal, m.rights), ',')
                        FROM sync.rights_of(token.subject) AS m WHERE token.app IS NULL OR m.app = token.app
                    ),
                    (extract(epoch FROM least(expires_at, now() + interval '1 year') - now()) * 1000000)::bigint,
                    last_used_at IS NULL OR last_used_at < now() - interval '1 hour'
                FROM sync.find_tokens($1) AS token
                """, [parameter(hashes)]))
        var found: [[UInt8]: Found] = [:]
        for row in 0..<rows.count {
            guard let role = Grant.Role(rawValue: rows.string(row, 3)) else { continue }
            let spaces = rows.string(row, 4).split(separator: ",").compactMap { ID(String($0)) }
            let joined = Joined(rows.stringIfPresent(row, 5) ?? "")
            let grant = Grant(
                app: rows.stringIfPresent(row, 1), subject: Subject(rows.string(row, 2)), role: role, spaces: spaces,
                memberships: joined.memberships, personal: joined.personal)
            found[rows.bytes(row, 0)] = Found(
                grant: grant, endsIn: .microseconds(rows.int(row, 6)), isUseDue: rows.bool(row, 7))
        }
        return found
    }

    /// Reads the spaces that these subjects are in, and in which of the apps they have erased their accounts.
    static func joined(
        _ subjects: some Collection<Subject>, _ apps: [String], _ session: isolated Session
    ) throws(PGError) -> [Subject: Joined] {
        if subjects.isEmpty { return [:] }
        var wanted = ArrayParameter(.text, capacity: subjects.count)
        for subject in subjects { wanted.append(text: subject.text) }
        let rows = try session.execute(
            Command(
                """
                SELECT wanted, coalesce((
                        SELECT string_agg(concat_ws(' ', m.app, m.space_id, m.role, m.is_personal, m.rights), ',')
                        FROM sync.rights_of(wanted) AS m), ''), coalesce((
                        SELECT string_agg(
                            concat_ws(' ', e.app, (extract(epoch FROM e.erased_at) * 1000000)::bigint), ',')
                        FROM sync.erasures_of($2, wanted) AS e), '')
                FROM unnest($1) AS wanted
                """, [wanted.finished(), .texts(apps)]))
        var joined: [Subject: Joined] = [:]
        for row in 0..<rows.count {
            joined[Subject(rows.string(row, 0))] = Joined(rows.string(row, 1), erased: rows.string(row, 2))
        }
        if PlantedBug.subjectsAsUnicode.isPlanted {
            for subject in subjects {
                joined[subject] = joined.first { $0.key.text == subject.text }?.value
            }
        }
        return joined
    }

    /// Writes down that these tokens are used, where that was not done within the hour.
    ///
    /// - Returns: of how many it was written.
    @discardableResult
    static func noteUses(of hashes: [[UInt8]], _ session: isolated Session) throws(PGError) -> Int64 {
        try session.execute(Command("SELECT sync.note_token_uses($1)", [parameter(hashes)])).int(0, 0)
    }

    private static func parameter(_ hashes: [[UInt8]]) -> Parameter {
        var wanted = ArrayParameter(.bytea, capacity: hashes.count)
        for hash in hashes { wanted.append(bytes: hash) }
        return wanted.finished()
    }

    /// What a subject is in.
    struct Joined {
        private(set) var memberships: [SpaceName: Grant.Membership] = [:]
        private(set) var personal: [String: ID] = [:]
        /// By app, when the account was erased.
        private(set) var erased: [String: Timestamp] = [:]

        /// - Parameters:
        ///   - text: for each space, divided by commas, the app, the space, the role, whether it is the personal one,
        ///     and its count of rights. None of them has a comma or a space.
        ///   - erasedText: likewise, for each app whose account was erased, the app, and when, in microseconds.
        init(_ text: String, erased erasedText: String = "") {
            for erasure in erasedText.split(separator: ",") {
                let parts = erasure.split(separator: " ").map(String.init)
                guard parts.count == 2, let time = Int64(parts[1]) else { continue }
                erased[parts[0]] = Timestamp(microseconds: time)
            }
            for membership in text.split(separator: ",") {
                let parts = membership.split(separator: " ").map(String.init)
                guard parts.count == 5, let space = ID(parts[1]), let role = SpaceRole(rawValue: parts[2]),
                    let rights = Int64(parts[4])
                else { continue }
                memberships[SpaceName(app: parts[0], space: space)] = Grant.Membership(role: role, rights: rights)
                if parts[3] == "t" { personal[parts[0]] = space }
            }
        }
    }
}
