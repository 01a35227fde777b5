package import PGStore
package import Postgres
import SyncEngine
package import WireFormats

/// The use of each version of an app, as the census has it.
package struct CensusReport: Sendable {
    package let plan: Plan
    /// The time since which the census is kept; `nil` if no server has kept it yet.
    package let since: Timestamp?
    /// The time since which every server could write its observations, which gates go by; `nil` if no server has
    /// reported.
    package let watched: Timestamp?
    package let now: Timestamp
    /// The plan's versions, oldest first, each with the variants of its number; then versions that the plan does not
    /// know.
    package let lines: [Line]

    /// The use of one version.
    package struct Line: Sendable {
        package let version: String
        /// True if the plan has the version.
        package var isKnown = true
        /// Devices that use the version now, and those of them that were seen in the last day, 7 days and 30 days.
        package var all = CensusTable.Count.none
        package var day: Int64 = 0
        package var week: Int64 = 0
        package var month = CensusTable.Count.none
        /// Devices that used the version in the last 30 days, including those that have been updated since.
        package var used: Int64 = 0
        package var first: Timestamp?
        package var last: Timestamp?
        /// The largest outbox age that a device which uses the version now has reported, in seconds.
        package var outboxAge: Int64?
        /// True if the devices include some that send no id; all of them count as one.
        package var hasAnonymous = false
    }

    /// Reads the reports of some apps, all as of one time.
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

    /// The window of the hint, 30 days.
    package static let idle = Duration.seconds(30 * 86_400)

    /// The version that a contract migration may require now: the newest that is not above any version used in the last
    /// 30 days. `nil` if that is the oldest version, or if the census is too young to show it.
    package var floor: Schema.Version? {
        guard let watched, watched.adding(CensusReport.idle) <= now else { return nil }
        let cutoff = now.adding(.zero - CensusReport.idle - Census.slack)
        let used = lines.filter { line in line.last.map { $0 >= cutoff } ?? false }
        let lowest = used.compactMap { ShapeName($0.version)?.version }.min() ?? plan.schemas[plan.newest].version
        let floor = plan.schemas.map(\.version).last { $0 <= lowest } ?? plan.schemas[0].version
        return floor == plan.schemas[0].version ? nil : floor
    }
}

/// The error of a census whose tables are missing, or are those of an earlier release.
package struct CensusUnavailable: Error, Hashable {}
