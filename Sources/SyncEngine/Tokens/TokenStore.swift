import PlantedBugs
package import Postgres
package import WireFormats

/// The tokens in the database, for the code that serves requests: it finds the rights of a token, and stores the time
/// of its use.
package enum TokenStore {
    /// A token that is valid.
    package struct Found: Sendable {
        package let grant: Grant
        /// The remaining lifetime of the token by the database's clock. It is at most a year, even for a token that
        /// never expires.
        package let endsIn: Duration
        /// True if the time of this use of the token must be written to the database.
        package let isUseDue: Bool
    }

    /// Stores a token under its hash.
    ///
    /// - Parameters:
    ///   - expiry: the time when the token expires; `nil` for never.
    ///   - replaced: the hash of the token that the new token replaces.
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

    /// Returns the tokens with these hashes that are neither revoked nor expired, by hash.
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

    /// Reads the spaces of which each of these subjects is a member. Also reads in which of the apps `apps` the
    /// subject's account was erased.
    package static func joined(
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

    /// Stores the current time as the time of these tokens' last use, unless a use within the last hour is stored
    /// already.
    ///
    /// - Returns: the number of tokens written.
    @discardableResult
    package static func noteUses(of hashes: [[UInt8]], _ session: isolated Session) throws(PGError) -> Int64 {
        try session.execute(Command("SELECT sync.note_token_uses($1)", [parameter(hashes)])).int(0, 0)
    }

    private static func parameter(_ hashes: [[UInt8]]) -> Parameter {
        var wanted = ArrayParameter(.bytea, capacity: hashes.count)
        for hash in hashes { wanted.append(bytes: hash) }
        return wanted.finished()
    }

    /// The memberships and erasures of a subject.
    package struct Joined {
        package private(set) var memberships: [SpaceName: Grant.Membership] = [:]
        package private(set) var personal: [String: ID] = [:]
        /// The time when the account was erased, by app.
        package private(set) var erased: [String: Timestamp] = [:]

        /// Parses the columns of a query about a subject.
        ///
        /// - Parameters:
        ///   - text: for each space, separated by commas, the app, the space, the role, whether it is the personal
        ///     space, and the space's count of revocations. None of these has a comma or a space.
        ///   - erasedText: likewise, for each app whose account was erased, the app and the time in microseconds.
        init(_ text: String, erased erasedText: String = "") {
            for erasure in erasedText.split(separator: ",") {
                let parts = erasure.split(separator: " ").map(String.init)
                guard parts.count == 2, let time = Int64(parts[1]) else { continue }
                erased[parts[0]] = Timestamp(microseconds: time)
            }
            for membership in text.split(separator: ",") {
                let parts = membership.split(separator: " ").map(String.init)
                guard parts.count == 5, let space = ID(parts[1]), let role = SpaceRole(rawValue: parts[2]),
                    let revocations = Int64(parts[4])
                else { continue }
                memberships[SpaceName(app: parts[0], space: space)] = Grant.Membership(
                    role: role, revocations: revocations)
                if parts[3] == "t" { personal[parts[0]] = space }
            }
        }
    }
}
