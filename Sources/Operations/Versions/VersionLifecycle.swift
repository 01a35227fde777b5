import PGStore
package import Postgres
import SyncEngine
package import WireFormats

/// The operations that deprecate, retire and restore versions of one app. Each records its changes in the audit log.
package struct VersionLifecycle: Sendable {
    private let plan: Plan
    private let session: Session
    /// The database's time when this object was created. A duration that an operator gives, such as `30d`, begins at
    /// this time.
    package let now: Timestamp

    /// The default time for which the server accepts changes that were written in a version, after the version's end.
    /// It is the age at which tombstones are removed: a device that was away for longer needs a new initial sync
    /// anyway.
    private static let outboxAfter = Collector.ageDefault

    /// - Parameter session: a session with the login that owns the tables.
    /// - Throws: `PGError`.
    package init(_ plan: Plan, _ session: Session) async throws {
        (self.plan, self.session) = (plan, session)
        now = try await session.currentTime()
    }

    // MARK: Reading

    /// Returns the lifecycle state and the use of each version, oldest first.
    ///
    /// - Throws: `PGError`.
    package func status() async throws -> [VersionStatus] {
        let report = try await CensusReport.read(plan, at: now, session)
        let rows = VersionStates.Row.all(try await session.execute(VersionStates.reading)).filter { $0.app == plan.app }
        return report.lines.map { line in
            let row = rows.first { $0.version == line.version }
            return VersionStatus(use: line, lifecycle: row ?? VersionStates.Row(app: plan.app, version: line.version))
        }
    }

    /// Returns the operators' actions on the app's versions, the latest first.
    ///
    /// - Throws: `PGError`.
    package func events() async throws -> [VersionEvent] {
        let rows = try await session.execute(VersionStates.events(of: plan.app))
        return (0..<rows.count).map {
            VersionEvent(
                at: rows.timestamp($0, 0), by: rows.string($0, 1), version: rows.string($0, 2),
                action: rows.string($0, 3), isForced: rows.bool($0, 4), detail: rows.string($0, 5))
        }
    }

    // MARK: Changing

    /// Marks a version as deprecated, so that its devices receive a notice that it will end.
    ///
    /// - Parameters:
    ///   - version: the version's name: `0.1.0`, or `0.1.0;fp=9691fcd4161dcaa0` for a second schema with this number.
    ///   - sunset: the planned end; `nil` leaves it unchanged.
    ///   - link: the URL of a page for users about the end; `nil` leaves it unchanged.
    /// - Throws: `VersionError`, `PGError`.
    package func deprecate(_ version: String, sunset: Moment? = nil, link: String? = nil) async throws -> VersionChange
    {
        var (row, _) = try await lifecycle(of: version)
        row.deprecated = row.deprecated ?? now
        if let sunset { row.sunset = try time(of: sunset, .sunset) }
        try set(link, of: &row)
        let end = row.sunset.map { ", to end on \($0.day)" } ?? ""
        return try await write(row, "deprecate", "deprecated\(end)")
    }

    /// Ends the support of a version.
    ///
    /// - Parameters:
    ///   - version: the version's name: `0.1.0`, or `0.1.0;fp=9691fcd4161dcaa0` for a second schema with this number.
    ///   - end: the time from which the version can neither pull nor push; `nil` for now.
    ///   - outboxUntil: the time until which an updated app can push changes that were written in the version; `nil`
    ///     for 180 days after the end.
    ///   - link: the URL of a page for users about the end; `nil` leaves it unchanged.
    ///   - isForced: true to end the version although devices still use it.
    /// - Throws: `VersionError`, `PGError`.
    package func retire(
        _ version: String, at end: Moment? = nil, outboxUntil: Moment? = nil, link: String? = nil,
        isForced: Bool = false
    ) async throws -> VersionChange {
        var (row, index) = try await lifecycle(of: version)
        guard index != plan.newest else { throw VersionError.newest(row.version) }
        let end = try end.map { end throws(VersionError) in try time(of: end, .end) } ?? now
        let until =
            try outboxUntil.map { until throws(VersionError) in try time(of: until, .outboxEnd) }
            ?? end.adding(VersionLifecycle.outboxAfter)
        guard Timestamp.wireRange.contains(until) else { throw VersionError.outboxEndTooLate }
        guard until >= end else { throw VersionError.outboxEndsFirst(outboxEnd: until, end: end) }
        let line = try await CensusReport.read(plan, at: now, session).lines.first { $0.version == row.version }
        let stranded = line.flatMap { StrandedDevices($0) }
        if let stranded, !isForced { throw VersionError.inUse(stranded) }
        row.retired = end
        row.outboxUntil = until
        try set(link, of: &row)
        let devices = stranded.map { " \($0)" } ?? ""
        return try await write(
            row, "retire", "retired from \(end.minute), outboxes until \(until.minute).\(devices)",
            isForced: stranded != nil)
    }

    /// Deletes the version's lifecycle state, so that the version is supported again.
    ///
    /// - Parameter version: the version's name: `0.1.0`, or `0.1.0;fp=9691fcd4161dcaa0` for a second schema with this
    ///   number.
    /// - Throws: `VersionError.unknown`, `PGError`.
    package func restore(_ version: String) async throws -> VersionChange {
        let (row, _) = try await lifecycle(of: version)
        let detail = "supported again"
        try await session.transaction { session in
            _ = try session.pipeline([
                VersionStates.removing(row.version, of: row.app),
                VersionStates.noting("restore", row.version, of: row.app, isForced: false, detail: detail),
            ])
        }
        return VersionChange(lifecycle: VersionStates.Row(app: row.app, version: row.version), detail: detail)
    }

    /// Returns the stored lifecycle state of a version, or an empty one if none is stored, and the version's index in
    /// the plan's `shapes`.
    ///
    /// - Throws: `VersionError.unknown`, `PGError`.
    private func lifecycle(of version: String) async throws -> (row: VersionStates.Row, index: Int) {
        guard let index = ShapeName(version).flatMap({ plan.index(of: $0) }) else {
            throw VersionError.unknown(
                version, app: plan.app, known: plan.shapes.indices.map { plan.name(of: $0).description })
        }
        let name = plan.name(of: index).description
        let rows = VersionStates.Row.all(try await session.execute(VersionStates.reading))
        let known = rows.first { $0.app == plan.app && $0.version == name }
        return (known ?? VersionStates.Row(app: plan.app, version: name), index)
    }

    private func time(of moment: Moment, _ boundary: VersionError.Boundary) throws(VersionError) -> Timestamp {
        do { return try moment.time(at: now) } catch { throw .past(boundary, error) }
    }

    /// Sets in `row` the link to the page for users; `nil` leaves it unchanged. A link that cannot be sent in a header
    /// of a response is refused.
    private func set(_ link: String?, of row: inout VersionStates.Row) throws(VersionError) {
        guard let link else { return }
        guard VersionStates.Row.isLink(link) else { throw .malformedLink }
        row.link = link
    }

    private func write(
        _ row: VersionStates.Row, _ action: String, _ detail: String, isForced: Bool = false
    ) async throws -> VersionChange {
        try await session.transaction { session in
            _ = try session.pipeline([
                VersionStates.writing(row),
                VersionStates.noting(action, row.version, of: row.app, isForced: isForced, detail: detail),
            ])
        }
        return VersionChange(lifecycle: row, detail: detail)
    }
}
