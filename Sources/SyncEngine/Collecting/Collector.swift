import PGStore
import Postgres
import WireFormats

/// Removes old tombstones (the rows of deleted records) of all spaces of some apps, and the deleted records' values
/// from younger ones. It goes from database to database, and there from space to space on one session. Only one
/// collector at a time works in a database.
package struct Collector: Sendable {
    private let engines: [SyncEngine]
    private let age: Duration
    /// The pause between two transactions of the collector, in which requests of clients go first.
    private let pause: Duration

    /// The default time for which a tombstone is kept. A device that was away for longer syncs the space anew, and its
    /// unsent changes of deleted records restore these records. Half a year is longer than most devices are ever away,
    /// and tombstones are few beside records.
    package static let ageDefault = Duration.seconds(180 * 24 * 3600)
    /// The time for which the values of a deleted record are kept, if its tombstone is kept for longer. Until then, the
    /// record is restored with all its values if it is created again, even by a version that does not have all of its
    /// attributes. Bins for deleted photos and files mostly keep them as long.
    package static let clearedAfter = Duration.seconds(30 * 24 * 3600)
    /// The most spaces that one query lists.
    private static let listedMax = 500

    /// The counts of the rows that one run removes or clears for one app.
    package struct Report: Sendable, Hashable {
        package let app: String
        package var spaces = 0
        package var tombstones = 0
        /// The count of deleted records whose contents were removed, and whose tombstones stay.
        package var cleared = 0
        /// The tables whose deleted records could not be cleared, because a constraint refuses records without values.
        package var unclearable: Set<String> = []
        /// The count of removed clamps (replacements of stamps that were too far ahead of the server's clock).
        package var clamps = 0
        /// The count of forgotten increments of counters; a retry of one would now count again.
        package var increments = 0
        /// The count of removed verdicts, which were kept so that a retry of a change gets the same verdict.
        package var judged = 0
        /// The count of removed census rows: devices in versions that they have not used for a year.
        package var devices = 0
        /// The count of spaces that were left for the next run, because another transaction had locked them.
        package var busy = 0

        /// Advice for the operator about tables whose deleted records could not be cleared; `nil` if there are none.
        package var advice: String? {
            if unclearable.isEmpty { return nil }
            let tables = unclearable.sorted().joined(separator: ", ")
            return "Deleted records keep what they held in \(tables): a constraint there takes no empty record. "
                + "Let it be met by records that are not alive: CHECK (NOT alive OR …)."
        }

        package var collected: Int { tombstones + cleared + clamps + increments + judged + devices }
    }

    /// The mode of a run: it removes rows, or only counts them.
    package enum Mode: Sendable {
        case collect
        /// Only counts the rows that a run would remove. The counts are upper limits.
        case count
    }

    package init(
        _ engines: [SyncEngine], olderThan age: Duration = ageDefault, pause: Duration = .zero
    ) {
        self.engines = engines
        self.age = age
        self.pause = pause
    }

    /// Collects old rows of all apps in all databases, or only counts them, as `mode` says. An error in one database
    /// does not keep the collector from the others.
    ///
    /// - Returns: a report for each app; `nil` if other processes are collecting in all databases.
    /// - Throws: `ClockDisagreement`, before anything is removed from that database; `PGError`; `CancellationError`
    ///   between two transactions. Thrown at the end, if an error occurred in any database.
    package func run(
        _ mode: Mode = .collect, on databases: Databases, progress: @Sendable (Report) -> Void = { _ in }
    ) async throws -> [Report]? {
        // Erasures are completed on sessions of their own, even if another process holds the collector's lock: it takes
        // little time, or there is nothing to do.
        if mode == .collect {
            for engine in engines {
                _ = try await engine.erasing.completeErasures(at: engine.clock.time)
            }
        }
        var reports = engines.map { Report(app: $0.plan.app) }
        var (hasRun, failure) = (false, nil as (any Error)?)
        for (index, pool) in databases.pools.enumerated() {
            do {
                if try await run(mode, in: pool, isDirectory: index == 0, &reports, progress) { hasRun = true }
            } catch {
                if error is CancellationError { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return hasRun ? reports : nil
    }

    /// Collects in one database.
    ///
    /// - Returns: false if another process is collecting there.
    private func run(
        _ mode: Mode, in pool: Pool, isDirectory: Bool, _ reports: inout [Report],
        _ progress: @Sendable (Report) -> Void
    ) async throws -> Bool {
        try await pool.withSession { session in
            if mode == .count {
                try await collect(mode, session, isDirectory: isDirectory, &reports, progress)
                return true
            }
            guard try await CollectorLock.take(session) else { return false }
            do {
                try await collect(mode, session, isDirectory: isDirectory, &reports, progress)
                try await CollectorLock.release(session)
                return true
            } catch {
                // A session that cannot release the lock is broken, and the lock ends with it.
                if session.isUsable { try await CollectorLock.release(session) }
                throw error
            }
        }
    }

    /// Collects in the database of a session.
    ///
    /// - Parameter isDirectory: true if the database has the census and the marks of erased accounts and spaces, of
    ///   which old ones are removed, too.
    private func collect(
        _ mode: Mode, _ session: Session, isDirectory: Bool, _ reports: inout [Report],
        _ progress: @Sendable (Report) -> Void
    ) async throws {
        for (index, engine) in engines.enumerated() {
            let now = try await engine.clock.timeToRemove(on: session)
            if mode == .collect, isDirectory { try await engine.erasing.forgetErasures(at: now, on: session) }
            let cutoff = now.adding(.zero - age)
            let blanks = try engine.blanks()
            var report = reports[index]
            defer { reports[index] = report }
            var last = ID(high: 0, low: 0)
            while true {
                let spaces = try await session.execute(
                    engine.store.spaces.listing(after: last, limit: Collector.listedMax)
                ).ids
                if spaces.isEmpty { break }
                for space in spaces {
                    last = space
                    let step = Collecting(
                        hub: engine.plan.hub, tables: engine.store.tables, tombstones: engine.tombstones,
                        spaces: engine.store.spaces, space: space, now: now, cutoff: cutoff,
                        clearedUntil: age > Collector.clearedAfter ? now.adding(.zero - Collector.clearedAfter) : nil,
                        blanks: blanks)
                    try await collect(step, mode, session, into: &report)
                    progress(report)
                }
            }
            if isDirectory { report.devices = try await forgetDevices(of: engine.plan.app, mode, session) }
            progress(report)
        }
    }

    /// Removes old devices from the census, by the database's clock.
    private func forgetDevices(of app: String, _ mode: Mode, _ session: Session) async throws -> Int {
        if mode == .count {
            return try await session.execute(CensusTable.countingForgettable(app: app)).number
        }
        var forgotten = 0
        while true {
            try Task.checkCancellation()
            let command = CensusTable.forgetting(app: app, limit: Collecting.removedMax)
            let step = try await session.execute(command).number
            forgotten += step
            if step < Collecting.removedMax { return forgotten }
            if pause > .zero { try await Task.sleep(for: pause) }
        }
    }

    private func collect(
        _ step: Collecting, _ mode: Mode, _ session: Session, into report: inout Report
    ) async throws {
        report.spaces += 1
        var step = step
        while true {
            try Task.checkCancellation()
            if pause > .zero { try await Task.sleep(for: pause) }
            let outcome: Collecting.Outcome
            do {
                outcome = try await session.transaction(
                    mode == .count ? .snapshot : .readWrite, preamble: [Spaces.entering(step.space)]
                ) { [step] session in
                    mode == .count ? try step.count(on: session) : try step.run(on: session)
                }
            } catch PGError.lockTimeout, PGError.deadlock, PGError.serialization, PGError.stalePlan {
                report.busy += 1
                return
            }
            report.tombstones += outcome.tombstones
            report.cleared += outcome.cleared
            report.unclearable.formUnion(outcome.unclearable)
            step.clearedThrough = outcome.clearedThrough
            report.clamps += outcome.clamps
            report.increments += outcome.increments
            report.judged += outcome.judged
            if mode == .count || outcome.isEmpty { return }
        }
    }
}
