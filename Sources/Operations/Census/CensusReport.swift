package import PGStore
package import Postgres
import SyncEngine
package import WireFormats

/// The number of devices that use each version of an app, according to the census (the table of the versions in use).
package struct CensusReport: Sendable {
    package let plan: Plan
    /// The time since which servers have written the census; `nil` if no server has written it yet.
    package let since: Timestamp?
    /// The time since which every server has been able to write to the census which devices it served; `nil` if no
    /// server has reported it. A condition of a contract migration, such as `census(<2.0.0)=0 for 30d`, is met at the
    /// earliest 30 days after this time.
    package let watched: Timestamp?
    package let now: Timestamp
    /// The use of each version by devices. The versions of the plan come first, the oldest first. Each is followed by
    /// other schemas that were shipped under its number. At the end are versions that devices use but the plan does not
    /// have.
    package let lines: [Line]

    /// The use of one version: the numbers of its devices, and when they used it.
    package struct Line: Sendable {
        package let version: String
        /// True if the plan has the version.
        package var isKnown = true
        /// The number of devices that use the version now. `day`, `week` and `month` count those of them that were seen
        /// in the last day, in the last 7 days, and in the last 30 days.
        package var all = CensusTable.Count.none
        package var day: Int64 = 0
        package var week: Int64 = 0
        package var month = CensusTable.Count.none
        /// The number of devices that used the version in the last 30 days, including those that have been updated
        /// since.
        package var used: Int64 = 0
        package var first: Timestamp?
        package var last: Timestamp?
        /// The age in seconds of the oldest change that a device with this version has not sent yet, as the devices
        /// reported it. `nil` if none has reported an age.
        package var outboxAge: Int64?
        /// True if some of the devices send no device id. All of these are counted as one device.
        package var hasAnonymous = false
    }

    /// Reads the reports of several apps, all as of the same time.
    ///
    /// - Throws: `CensusUnavailable`, `PGError`.
    package static func read(_ plans: [Plan], _ session: isolated Session) throws -> [CensusReport] {
        guard try session.execute(CensusTable.isThere).bool(0, 0) else { throw CensusUnavailable() }
        let now = try session.currentTime()
        return try plans.map { try read($0, at: now, session) }
    }

    /// Reads the report of one app.
    ///
    /// - Throws: `PGError`.
    package static func read(_ plan: Plan, at now: Timestamp, _ session: isolated Session) throws -> CensusReport {
        let since = try session.execute(CensusTable.since)
        let evidence = try session.execute(CensusTable.evidence(at: now, silence: Census.silence))
        let rows = try session.execute(CensusTable.usage(app: plan.app, at: now, slack: Census.slack))
        let seen = (0..<rows.count).map { row in
            Line(
                version: rows.string(row, 0), all: CensusTable.Count(rows, row, at: 8), day: rows.int(row, 6),
                week: rows.int(row, 7), month: CensusTable.Count(rows, row, at: 11), used: rows.int(row, 1),
                first: rows.timestamp(row, 2), last: rows.timestamp(row, 3), outboxAge: rows.intIfPresent(row, 4),
                hasAnonymous: rows.bool(row, 5))
        }
        return CensusReport(
            plan: plan, since: since.count > 0 ? since.timestamp(0, 0) : nil,
            watched: evidence.timestampIfPresent(0, 1), now: now, lines: lines(of: plan, seen: seen))
    }

    private static func lines(of plan: Plan, seen: [Line]) -> [Line] {
        let indices = plan.schemas.indices.flatMap { version in
            plan.shapes.indices.filter { plan.version(of: $0) == version }
        }
        let known = indices.map { plan.name(of: $0).description }
        let byVersion = Dictionary(uniqueKeysWithValues: seen.map { ($0.version, $0) })
        return known.map { byVersion[$0] ?? Line(version: $0) }
            + seen.filter { !known.contains($0.version) }.map { line in
                var line = line
                line.isKnown = false
                return line
            }
    }

    /// The time for which no device may have used a version, so that `floor` treats it as unused: 30 days.
    package static let idle = Duration.seconds(30 * 86_400)

    /// The highest version for which a condition such as `census(<2.0.0)=0 for 30d` of a contract migration can be met
    /// now. No device has used a version below it in the last 30 days.
    ///
    /// `nil` if this is the plan's oldest version, because then no older version's data could be removed. Also `nil` if
    /// the census covers less than 30 days.
    package var floor: Schema.Version? {
        guard let watched, watched.adding(CensusReport.idle) <= now else { return nil }
        let cutoff = now.adding(.zero - CensusReport.idle - Census.slack)
        let used = lines.filter { line in line.last.map { $0 >= cutoff } ?? false }
        let lowest = used.compactMap { ShapeName($0.version)?.version }.min() ?? plan.schemas[plan.newest].version
        let floor = plan.schemas.map(\.version).last { $0 <= lowest } ?? plan.schemas[0].version
        return floor == plan.schemas[0].version ? nil : floor
    }
}

/// The error that the tables of the census are missing, or were made by an earlier release.
package struct CensusUnavailable: Error, Hashable {}
