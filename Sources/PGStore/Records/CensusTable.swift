package import Postgres
package import WireFormats

/// The statements on the census: which devices use which version of an app, and the time of their last use.
///
/// The serving role may call only the commands by which a server writes and cleans up (`seeing`, `counting`, `missing`,
/// `ending`, `forgetting` and `countingForgettable`) and `registration`. All other statements are for the role that
/// migrates.
package enum CensusTable {
    /// The use of one version by one device, as a server noticed it.
    package struct Sighting: Sendable, Hashable {
        package let app: String
        package let device: ID
        /// The version's name as the client states it, such as `0.1.0`. The name of a variant, a second schema that was
        /// shipped under a version's number, also contains its fingerprint: `0.1.0;fp=9691fcd4161dcaa0`.
        package let version: String
        package let first: Timestamp
        package let last: Timestamp
        /// The age in seconds of the oldest change that the device has not sent yet; 0 if there is none. `nil` if the
        /// device did not state it.
        package let outboxAge: Int64?
        /// The subject of the device's latest token; `nil` for the entry that stands for all devices without an id.
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

    /// Counts of devices, and of the subjects that use them. Both are counted because device ids are not proven: one
    /// subject may invent any number of devices.
    package struct Count: Sendable, Hashable {
        /// The count of devices that state an id.
        package let devices: Int64
        /// The number of different subjects (users) of those devices whose subject is known.
        package let subjects: Int64
        /// The number of devices whose subject is not known, because a server of an earlier release saw them last, or
        /// because their account was erased.
        package let unattributed: Int64

        package init(devices: Int64, subjects: Int64, unattributed: Int64) {
            self.devices = devices
            self.subjects = subjects
            self.unattributed = unattributed
        }

        package static let none = Count(devices: 0, subjects: 0, unattributed: 0)

        /// Parses three columns of a row, from index `column` on: the numbers of devices, of subjects, and of devices
        /// without a known subject.
        package init(_ rows: Rows, _ row: Int, at column: Int) {
            self.init(
                devices: rows.int(row, column), subjects: rows.int(row, column + 1),
                unattributed: rows.int(row, column + 2))
        }

        /// The count of subjects as a cell of a table: `3`, or `3+` if some devices' subjects are not known.
        package var subjectsText: String { "\(subjects)\(unattributed > 0 ? "+" : "")" }
    }

    /// The id under which the census counts all devices that send no id.
    package static let anonymous = ID(high: 0, low: 0)

    /// The result of the command `seeing`, which writes to the census.
    package struct Written: Sendable {
        /// The number of rows of the census that were written.
        package let count: Int
        /// True if a new census begins with these rows. This happens when a server first writes to the census in the
        /// database's current epoch, for example after a backup was restored.
        package let isFirst: Bool

        package init(_ rows: Rows) { (count, isFirst) = (rows.number, rows.bool(0, 1)) }
    }

    /// Writes sightings to the census: which device used which version, and when. A stored row stays as it is if the
    /// new time and outbox age differ from it by less than `unmoved`. Each pair of a device and a version may occur
    /// only once in `sightings`. Returns `Written`.
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

    /// Records that a server has written to the census all devices that it saw until `now`. It also removes the entries
    /// of other servers that have ended without reporting it.
    ///
    /// - Parameter unnoticed: the time within which a removed server should have reported last. If its last report is
    ///   older, devices that it saw may be missing. The census then counts as complete only from `now` on.
    package static func counting(_ server: Int32, at now: Timestamp, unnoticed: Duration) -> Command {
        Command(
            "SELECT sync.count_server($1, $2, $3)",
            [.int(Int64(server)), .timestamp(now), .int(unnoticed.components.seconds)])
    }

    /// Records that a server saw devices, but could not write them to the census.
    package static func missing(_ server: Int32, at now: Timestamp) -> Command {
        Command("SELECT sync.miss_devices($1, $2)", [.int(Int64(server)), .timestamp(now)])
    }

    /// Records that a server shuts down in an orderly way: all that it saw is already in the census.
    package static func ending(_ server: Int32) -> Command {
        Command("SELECT sync.end_counting($1)", [.int(Int64(server))])
    }

    /// Deletes from the census at most `limit` devices that have not been seen for a year. Returns the number of
    /// deleted devices.
    package static func forgetting(app: String, limit: Int) -> Command {
        Command("SELECT sync.forget_devices($1, $2)", [.text(app), .int(Int64(limit))])
    }

    package static func countingForgettable(app: String) -> Command {
        Command("SELECT sync.count_forgettable_devices($1)", [.text(app)])
    }

    /// Checks that the database has the tables and functions of the census. Migrations create them.
    package static let isThere: Command = "SELECT to_regproc('sync.miss_devices') IS NOT NULL"

    /// Reads the time since which servers write to the census. This time begins anew with each epoch of the database,
    /// for example after a backup was restored. The command returns no row if no server has written to the census in
    /// the current epoch.
    package static let since: Command = """
        SELECT census.since FROM sync.census AS census JOIN sync.server AS server USING (epoch)
        """

    /// Reads one row that shows if the census is complete. It has four columns:
    ///
    /// - `counted_until`: the time after which devices may be missing in the census; `NULL` if none can be missing.
    ///   Devices may be missing if a server could not write some of them, or has reported nothing for `silence`. The
    ///   time is the earliest at which such a server last reported.
    /// - `since`: the time since which every server has been able to write to the census; `NULL` if no server has
    ///   reported it.
    /// - `silent`: the number of running servers that have not written to the census yet.
    /// - `hidden`: true if row-level security may hide rows of the census from the session.
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

    /// Registers a server that takes part in the census, by a shared advisory lock. The lock is held until the session
    /// ends, so the registration of a server that crashes ends by itself.
    package static func registration(of server: Int32) -> Command {
        Command(
            "SELECT pg_advisory_lock_shared($1::bigint::integer, $2::bigint::integer)",
            [.int(lockSpace), .int(Int64(server))])
    }

    /// The first half of the keys of the advisory locks that register servers: the ASCII codes of ‘sync’ as a number.
    private static let lockSpace: Int64 = 1_937_337_955

    /// Reads the use of each version: `(version, used, first, last, outbox_age, has_anonymous, day, week, …)`. Two
    /// groups of `(devices, subjects, unattributed)` follow, which `Count` parses: one for all devices, and one for the
    /// devices seen in the last 30 days.
    ///
    /// A device is counted only in the version that it uses now. The exception is `used`, the number of devices that
    /// used the version at any time in the last 30 days.
    ///
    /// - Parameter slack: the longest time by which a device may have been seen later than its row states. If a device
    ///   was seen in several versions within this time, the newest of them counts as the one that it uses.
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

    /// Reads the use of all versions with a lower number than `floor` since the time `cutoff`: `(devices, subjects,
    /// unattributed, has_anonymous, last, version)`.
    ///
    /// `Count` parses the first three columns. `has_anonymous` is true if some of the devices send no id. `last` and
    /// `version` are the time and the version of the latest use.
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
    /// A text such as `1200 devices of 1 subject`, which shows whether the devices belong to many people or to one.
    package var description: String {
        let counted = devices == 1 ? "1 device" : "\(devices) devices"
        guard subjects > 0 else { return counted }
        let known = subjects == 1 ? "1 subject" : "\(subjects) subjects"
        return "\(counted) of \(unattributed > 0 ? "at least " : "")\(known)"
    }
}
