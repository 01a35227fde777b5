package import Postgres
package import WireFormats

/// The statements on the census: which devices use which version of an app, and when they last did.
///
/// The serving role may only call `seeing`, `forgetting` and `countingForgettable`. The others are for whoever
/// migrates.
package enum CensusTable {
    /// One device in one version, as a server saw it.
    package struct Sighting: Sendable, Hashable {
        package let app: String
        package let device: ID
        /// As a client states it: with the fingerprint only where the number alone means another shape.
        package let version: String
        package let first: Timestamp
        package let last: Timestamp
        /// In seconds; `nil`: it did not say.
        package let outboxAge: Int64?
        /// Whose token it last came with; `nil` for those that state no device.
        package let subject: Subject?

        package init(
            app: String, device: ID, version: String, first: Timestamp, last: Timestamp, outboxAge: Int64?,
            subject: Subject?
        ) {
            self.app = app
            self.device = device
            self.version = version
            self.first = first
            self.last = last
            self.outboxAge = outboxAge
            self.subject = subject
        }
    }

    /// Devices, and who stands behind them: one subject may have any number, as nobody proves what a device is.
    package struct Count: Sendable, Hashable {
        /// The devices that state who they are.
        package let devices: Int64
        /// The subjects behind those of which that is known.
        package let subjects: Int64
        /// Devices of which it is not: a server of an earlier release saw them last, or their account was erased.
        package let unattributed: Int64

        package init(devices: Int64, subjects: Int64, unattributed: Int64) {
            self.devices = devices
            self.subjects = subjects
            self.unattributed = unattributed
        }

        package static let none = Count(devices: 0, subjects: 0, unattributed: 0)

        /// Reads three columns from the one at `place` on.
        package init(_ rows: Rows, _ row: Int, at place: Int) {
            self.init(
                devices: rows.int(row, place), subjects: rows.int(row, place + 1),
                unattributed: rows.int(row, place + 2))
        }

        /// The subjects as a cell of a table: `3`, or `3+` where it is not known of all devices whose they are.
        package var subjectsText: String { "\(subjects)\(unattributed > 0 ? "+" : "")" }
    }

    /// The device of everyone who states none.
    package static let anonymous = ID(high: 0, low: 0)

    /// What `seeing` did.
    package struct Written: Sendable {
        /// How many rows.
        package let count: Int
        /// Whether the census begins with them: the database has none of what was written before.
        package let isFirst: Bool

        package init(_ rows: Rows) { (count, isFirst) = (rows.number, rows.bool(0, 1)) }
    }

    /// Writes what was seen; what moved by less than `unmoved` since it was written stays as it is. No two sightings
    /// may be of the same device and version. Reads `Written`.
    package static func seeing(_ sightings: [Sighting], at now: Timestamp, unmoved: Duration) -> Command {
        var devices = ArrayParameter(.uuid, capacity: sightings.count)
        var firsts = ArrayParameter(.timestamptz, capacity: sightings.count)
        var lasts = ArrayParameter(.timestamptz, capacity: sightings.count)
        var ages = ArrayParameter(.int8, capacity: sightings.count)
        var subjects = ArrayParameter(.text, capacity: sightings.count)
        for sighting in sightings {
            devices.append(id: sighting.device)
            firsts.append(timestamp: sighting.first)
            lasts.append(timestamp: sighting.last)
            if let age = sighting.outboxAge { ages.append(int: age) } else { ages.appendNull() }
            if let subject = sighting.subject { subjects.append(text: subject.text) } else { subjects.appendNull() }
        }
        return Command(
            "SELECT written, has_begun FROM sync.see_devices($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            [
                .timestamp(now), .int(unmoved.components.seconds), .texts(sightings.map(\.app)), devices.finished(),
                .texts(sightings.map(\.version)), firsts.finished(), lasts.finished(), ages.finished(),
                subjects.finished(),
            ])
    }

    /// Says that what a server saw up to now is written, and clears up behind servers that are gone without a word.
    ///
    /// - Parameter unnoticed: what one of them saw for no longer than this is not missed.
    package static func counting(_ server: Int32, at now: Timestamp, unnoticed: Duration) -> Command {
        Command(
            "SELECT sync.count_server($1, $2, $3)",
            [.int(Int64(server)), .timestamp(now), .int(unnoticed.components.seconds)])
    }

    /// Says that a server could not write what it saw.
    package static func missing(_ server: Int32, at now: Timestamp) -> Command {
        Command("SELECT sync.miss_devices($1, $2)", [.int(Int64(server)), .timestamp(now)])
    }

    /// Says that a server ends, with all written that it saw.
    package static func ending(_ server: Int32) -> Command {
        Command("SELECT sync.end_counting($1)", [.int(Int64(server))])
    }

    /// Forgets at most `limit` of what has not been seen for a year. Reads how many.
    package static func forgetting(app: String, limit: Int) -> Command {
        Command("SELECT sync.forget_devices($1, $2)", [.text(app), .int(Int64(limit))])
    }

    package static func countingForgettable(app: String) -> Command {
        Command("SELECT sync.count_forgettable_devices($1)", [.text(app)])
    }

    /// Reads whether the database has a census: the migrations that make it are applied.
    package static let isThere: Command = "SELECT to_regproc('sync.miss_devices') IS NOT NULL"

    /// Reads since when it is kept; no row where no server has kept it since the database became what it is.
    package static let since: Command = """
        SELECT census.since FROM sync.census AS census JOIN sync.server AS server USING (epoch)
        """

    /// Reads `(counted_until, since, silent, hidden)`: up to when a server wrote that could not since, or has said
    /// nothing for `silence`, `NULL` where all do; since when every one could write what it saw, `NULL` where none has
    /// said so; how many are at work that have not written anything; and whether row-level security may hide rows from
    /// who asks.
    package static func evidence(at now: Timestamp, silence: Duration) -> Command {
        Command(
            """
            SELECT
                (SELECT min(counted_until) FROM sync.census_server
                WHERE has_missed OR counted_until < $1 - make_interval(secs => $2)),
                (SELECT census.watched_since FROM sync.census AS census JOIN sync.server AS server USING (epoch)),
                (SELECT count(DISTINCT objid) FROM pg_locks
                WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = $3
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    AND objid::bigint NOT IN (SELECT server FROM sync.census_server)),
                row_security_active('sync.census_device') OR row_security_active('sync.census_server')
            """, [.timestamp(now), .double(Double(silence.components.seconds)), .int(lockSpace)])
    }

    /// Takes the lock of a server that counts, for as long as the session lasts.
    package static func presence(of server: Int32) -> Command {
        Command(
            "SELECT pg_advisory_lock_shared($1::bigint::integer, $2::bigint::integer)",
            [.int(lockSpace), .int(Int64(server))])
    }

    /// ‘sync’ in ASCII: the first half of the keys of servers that count.
    private static let lockSpace: Int64 = 1_937_337_955

    /// Reads, by version, `(version, used, first, last, outbox_age, has_anonymous, day, week, …)` and then, of all
    /// devices and of those seen in the last 30 days, `(devices, subjects, unattributed)` as `Count` reads them. A
    /// device counts in the one version that it uses now; as `used` within the month, in each.
    ///
    /// - Parameter slack: how much later than written a device may have been seen. Of versions seen that close together
    ///   it is the newest that a device uses: the others were named by changes from before its update.
    package static func usage(app: String, at now: Timestamp, slack: Duration) -> Command {
        Command(
            """
            WITH seen AS (
                SELECT *, string_to_array(split_part(version, ';', 1), '.')::integer[] AS number,
                    -- Everyone who states no device is someone in each version.
                    CASE WHEN device = $3 THEN version ELSE '' END AS stranger,
                    $2 - last_seen AS ago
                FROM sync.census_device WHERE app = $1
            ), latest AS (
                SELECT *, max(last_seen) OVER (PARTITION BY device, stranger) AS device_seen FROM seen
            ), current AS (
                SELECT *, row_number() OVER (
                    PARTITION BY device, stranger
                    ORDER BY last_seen >= device_seen - make_interval(secs => $4) DESC, number DESC, version DESC
                ) = 1 AS is_current
                FROM latest
            )
            SELECT version, count(*) FILTER (WHERE ago <= '30 days'), min(first_seen), max(last_seen),
                max(outbox_age) FILTER (WHERE is_current), bool_or(device = $3),
                count(*) FILTER (WHERE is_current AND ago <= '1 day'),
                count(*) FILTER (WHERE is_current AND ago <= '7 days'),
                count(*) FILTER (WHERE is_current),
                count(DISTINCT subject_hash) FILTER (WHERE is_current),
                count(*) FILTER (WHERE is_current AND subject_hash IS NULL AND device <> $3),
                count(*) FILTER (WHERE is_current AND ago <= '30 days'),
                count(DISTINCT subject_hash) FILTER (WHERE is_current AND ago <= '30 days'),
                count(*) FILTER (WHERE is_current AND ago <= '30 days' AND subject_hash IS NULL AND device <> $3)
            FROM current GROUP BY version ORDER BY min(number), version
            """, [.text(app), .timestamp(now), .id(anonymous), .double(Double(slack.components.seconds))])
    }

    /// Reads `(devices, subjects, unattributed, has_anonymous, last, version)` of the use, since `cutoff`, of versions
    /// with a lower number than `floor`: the first three as `Count` reads them, `last` and `version` of the latest use
    /// by anybody.
    package static func use(
        of app: String, below floor: Schema.Version, since cutoff: Timestamp
    ) -> Command {
        let number = [floor.major, floor.minor, floor.patch].map { Int64($0) }
        return Command(
            """
            SELECT count(DISTINCT device) FILTER (WHERE device <> $4), count(DISTINCT subject_hash),
                count(DISTINCT device) FILTER (WHERE device <> $4 AND subject_hash IS NULL),
                coalesce(bool_or(device = $4), false),
                max(last_seen), (array_agg(version ORDER BY last_seen DESC, version))[1]
            FROM sync.census_device
            WHERE app = $1 AND last_seen >= $3
                AND string_to_array(split_part(version, ';', 1), '.')::bigint[] < $2
            """, [.text(app), .ints(number), .timestamp(cutoff), .id(anonymous)])
    }
}

extension CensusTable.Count: CustomStringConvertible {
    /// `1200 devices of 1 subject`: who reads it sees whether that is many people or one.
    package var description: String {
        let counted = devices == 1 ? "1 device" : "\(devices) devices"
        guard subjects > 0 else { return counted }
        let known = subjects == 1 ? "1 subject" : "\(subjects) subjects"
        return "\(counted) of \(unattributed > 0 ? "at least " : "")\(known)"
    }
}
