import PGStore
package import Postgres
import WireFormats

/// Collects the old tombstones of all spaces of some apps, and clears younger ones, space by space, on one session. In
/// a database only one at a time does so.
package struct Collector: Sendable {
    private let engines: [SyncEngine]
    private let age: Duration
    /// Rests between transactions, so that requests go first.
    private let pause: Duration

    /// How long a tombstone is kept where nobody says. A device that was away for longer pulls the space afresh, and
    /// what it still has to send of records that were deleted brings them back. Half a year is more than most devices
    /// are ever away, and tombstones are few beside records.
    package static let ageDefault = Duration.seconds(180 * 24 * 3600)
    /// How long what a deleted record held is kept where its tombstone stays for longer: as long as bins of photos and
    /// files mostly are. Until then the record comes back with all of it if it is created again, be it by a version
    /// that does not know the half of it.
    package static let clearedAfter = Duration.seconds(30 * 24 * 3600)
    /// How many spaces are listed at a time.
    private static let listedMax = 500

    /// What was collected of one app.
    package struct Report: Sendable, Hashable {
        package let app: String
        package var spaces = 0
        package var tombstones = 0
        /// Deleted records whose contents went, and whose tombstones stay.
        package var cleared = 0
        /// Tables whose deleted records could not be cleared, because they take no empty ones.
        package var unclearable: Set<String> = []
        /// Stamps of devices that were ahead of the server.
        package var clamps = 0
        /// Increments of counters whose retries would now count again.
        package var increments = 0
        /// Changes that would not have been judged a second time.
        package var judged = 0
        /// Rows of the census: devices in versions that they have not used for a year.
        package var devices = 0
        /// Spaces that were left for the next time, because something else held them.
        package var busy = 0

        /// What to do about `unclearable`; `nil` where there is nothing to do.
        package var advice: String? {
            if unclearable.isEmpty { return nil }
            let tables = unclearable.sorted().joined(separator: ", ")
            return "Deleted records keep what they held in \(tables): a constraint there takes no empty record. "
                + "Let it be met by records that are not alive: CHECK (NOT alive OR …)."
        }

        package var collected: Int { tombstones + cleared + clamps + increments + judged + devices }
    }

    /// Whether anything is removed.
    package enum Mode: Sendable {
        case collect
        /// Only counts, at most what collecting would remove.
        case count
    }

    package init(
        _ engines: [SyncEngine], olderThan age: Duration = ageDefault, pause: Duration = .zero
    ) {
        self.engines = engines
        self.age = age
        self.pause = pause
    }

    /// - Returns: a report for each app; `nil` where another process is collecting.
    /// - Throws: `ClockDisagreement`, before anything is removed; `PGError`; `CancellationError` between two
    ///   transactions.
    package func run(
        _ mode: Mode = .collect, on pool: Pool, progress: @Sendable (Report) -> Void = { _ in }
    ) async throws -> [Report]? {
        // On sessions of its own, and not only where it is this process's turn: it is soon done, or has nothing to do.
        if mode == .collect {
            for engine in engines {
                _ = try await engine.erasing.completeErasures(at: engine.clock.time)
            }
        }
        return try await pool.withSession { session in
            if mode == .count { return try await reports(mode, session, progress) }
            guard try await CollectorLock.take(session) else { return nil }
            do {
                let reports = try await reports(mode, session, progress)
                try await CollectorLock.release(session)
                return reports
            } catch {
                // A session that cannot let go is broken, and with it the lock is gone.
                if session.isUsable { try await CollectorLock.release(session) }
                throw error
            }
        }
    }

    private func reports(
        _ mode: Mode, _ session: Session, _ progress: @Sendable (Report) -> Void
    ) async throws -> [Report] {
        var reports: [Report] = []
        for engine in engines {
            let now = try await engine.clock.timeToRemove(on: session)
            if mode == .collect { try await engine.erasing.forgetErasures(at: now, on: session) }
            let cutoff = now.adding(.zero - age)
            let blanks = try engine.blanks()
            var report = Report(app: engine.plan.app)
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
            report.devices = try await forgetDevices(of: engine.plan.app, mode, session)
            progress(report)
            reports.append(report)
        }
        return reports
    }

    /// The census forgets by the database's clock.
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
