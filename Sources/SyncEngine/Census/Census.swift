import PGStore
package import Postgres
import Synchronization
package import WireFormats

/// The census (client statistics) of one server process: the devices that it has seen in each version of the served
/// apps.
///
/// Requests only note devices in memory. `flush` writes all news to the database together.
package final class Census: Sendable {
    private let apps: [String]
    /// The names of the versions as clients state them: for each app, in the order of `apps`, the names of its plan's
    /// `shapes`.
    private let versions: [[String]]
    private let book: Mutex<CensusBook>
    private let hasBegun = Mutex<Bool>(false)
    /// The time of the last report to the database that all sightings of devices by this process are written, in
    /// microseconds; `nil` before the first report, and after a write that failed.
    private let counted = Mutex<Int64?>(nil)
    /// The time of the first attempt to write to the database; `nil` before it. The process registers in the database
    /// with this time. If its writes then fail, the sightings from this time on may be missing there.
    private let began = Mutex<Timestamp?>(nil)
    /// True if the process is registered in the database.
    private let hasAppeared = Mutex(false)
    /// The random number by which the database identifies this process. While a process has sightings that it has not
    /// written, gates stay closed. (A gate lets a migration step run when no device uses an old version any more.)
    package let server = Int32.random(in: 1...Int32.max)

    /// The interval at which sightings are written to the database, 10 s. It is short for two reasons: a process that
    /// is killed loses the sightings since its last write, and each write stays small even if a few thousand devices
    /// come each second.
    package static let flushInterval = Duration.seconds(10)
    /// The shortest time between two stored sightings of a device, 300 s: a sighting is not written again if the time
    /// has changed by less. So a device that polls every few seconds is written twelve times an hour, whatever the
    /// number of servers.
    package static let unmoved = Duration.seconds(300)
    /// The most by which a device's last sighting may be later than the time in its database row.
    ///
    /// It is the sum of three delays:
    ///
    /// - The row is not written again for a sighting that is less than `unmoved` later.
    /// - The process does not take a sighting for writing that is less than `unmoved` after the last one it took.
    /// - A sighting that was taken waits for the next write, up to `flushInterval`.
    package static let slack = unmoved * 2 + flushInterval
    /// The most devices that a process remembers. Each takes about two hundred bytes and its subject's name: 20 MB in
    /// all, or 45 MB if each has the longest name that a token may have.
    ///
    /// If there are more, the process forgets devices that it has written to the database. When such a device comes
    /// again, it is written again. While the database accepts no writes, further devices are counted together with the
    /// devices that state no id.
    package static let entriesMax = 100_000
    /// The interval after which the process reports again that all its sightings are written, even if there are no new
    /// ones. A gate is the check before a migration step that old versions are out of use; it waits if the last report
    /// is too old.
    static let countInterval = Duration.seconds(60)
    /// The longest time without a report from a running server: two times `countInterval`, and the interval of the
    /// flushes that send the reports.
    package static let silence = countInterval * 2 + flushInterval
    /// The most rows that one statement writes. Such a statement takes well under a second.
    static let rowsMax = 10_000

    package init(_ plans: [Plan], entriesMax: Int = Census.entriesMax) {
        apps = plans.map(\.app)
        versions = plans.map { plan in plan.shapes.indices.map { plan.name(of: $0).description } }
        book = Mutex(CensusBook(entriesMax: entriesMax, unmoved: Census.unmoved))
    }

    /// The object with which the engine of one app notes devices in the census.
    package struct Taker: Sendable {
        private let census: Census
        /// The app, as an index in `Census.apps`.
        private let app: Int

        fileprivate init(_ census: Census, app: Int) {
            self.census = census
            self.app = app
        }

        /// Notes that a device uses a version.
        ///
        /// - Parameters:
        ///   - shape: the version, as an index in the plan's `shapes`.
        ///   - subject: the subject of the request's token. Each subject may add a limited count of devices, in all its
        ///     spaces together.
        ///   - outboxAge: the age of the device's outbox as the device states it; `nil` if it states none.
        package func note(
            _ shape: Int, by device: ID?, of subject: Subject, outboxAge: OutboxAge?, at time: Timestamp
        ) {
            let key = CensusBook.Key(app: app, shape: shape, device: device ?? CensusTable.anonymous)
            census.book.withLock { $0.note(key, of: subject, at: time.microseconds, outboxAge: outboxAge?.seconds) }
        }
    }

    /// Returns the object that notes devices for the engine of one app.
    ///
    /// - Parameter app: the app, as an index in `apps`.
    package func taker(for app: Int) -> Taker {
        Taker(self, app: app)
    }

    /// The count of known pairs of a device and a version, and the count of those pairs that are due for writing.
    package var counts: (known: Int, due: Int) { book.withLock { $0.counts } }

    /// Writes the sightings that are due, and then reports to the database that all are written. The first flush
    /// reports that the census has begun, even if no device was seen.
    ///
    /// - Returns: the count of written rows.
    /// - Throws: `PGError`. Sightings that could not be written are kept and are due again; until they are written,
    ///   gates (the checks that old versions are out of use) stay closed.
    @discardableResult
    package func flush(on pool: Pool, at now: Timestamp) async throws -> Int {
        try await appear(on: pool, at: now)
        var (written, isAlone) = (0, true)
        while true {
            let (others, taken) = book.withLock { ($0.underWay, $0.take(Census.rowsMax)) }
            // The writes of another flush that is under way may still fail.
            if others > 0 { isAlone = false }
            if taken.isEmpty, hasBegun.withLock(\.self), !isCountDue(at: now) { return written }
            let step = try await write(taken, on: pool, at: now)
            written += step.count
            // The database has become another one, without what this process had written.
            let isAnew = hasBegun.withLock { hasBegun in
                defer { hasBegun = true }
                return hasBegun && step.isFirst
            }
            if isAnew { book.withLock { $0.writeAllAgain() } }
            // More is due, or may be.
            if isAnew || taken.count == Census.rowsMax { continue }
            guard isAlone else { return written }
            // By itself: in one transaction with sightings, two servers would wait for each other's rows.
            try await count(on: pool, at: now)
            return written
        }
    }

    /// Registers the process in the database before it writes anything else. If the process can then never write its
    /// sightings, the registration still shows that some are missing.
    private func appear(on pool: Pool, at now: Timestamp) async throws {
        if hasAppeared.withLock(\.self) { return }
        let began = began.withLock { began in
            began = began ?? now
            return began ?? now
        }
        try await count(on: pool, at: began)
        hasAppeared.withLock { $0 = true }
    }

    private func count(on pool: Pool, at time: Timestamp) async throws {
        let counting = CensusTable.counting(server, at: time, unnoticed: Census.slack)
        _ = try await pool.withSession { session in try await session.execute(counting) }
        counted.withLock { $0 = time.microseconds }
    }

    private func write(
        _ taken: [(CensusBook.Key, CensusBook.Entry)], on pool: Pool, at now: Timestamp
    ) async throws -> CensusTable.Written {
        let seeing = CensusTable.seeing(taken.map(sighting), at: now, unmoved: Census.unmoved)
        do {
            let step = CensusTable.Written(
                try await pool.withSession { session in try await session.execute(seeing) })
            book.withLock { $0.confirm(taken.count) }
            return step
        } catch {
            book.withLock { $0.putBack(taken) }
            counted.withLock { $0 = nil }
            // If the database does not accept this write either, gates are shut after some time without a report.
            let missing = CensusTable.missing(server, at: now)
            _ = try? await pool.withSession { session in try await session.execute(missing) }
            throw error
        }
    }

    /// Removes the registration of the process after its last flush. If that flush has not written every sighting, the
    /// process stays registered, and gates (the checks that old versions are out of use) stay closed.
    package func end(on pool: Pool) async throws {
        guard book.withLock({ $0.counts.due == 0 && $0.underWay == 0 }) else { return }
        let command = CensusTable.ending(server)
        _ = try await pool.withSession { session in try await session.execute(command) }
    }

    private func isCountDue(at now: Timestamp) -> Bool {
        guard let last = counted.withLock(\.self) else { return true }
        return abs(now.microseconds - last) >= Census.countInterval.components.seconds * 1_000_000
    }

    private func sighting(_ key: CensusBook.Key, _ entry: CensusBook.Entry) -> CensusTable.Sighting {
        CensusTable.Sighting(
            app: apps[key.app], device: key.device, version: versions[key.app][key.shape],
            first: Timestamp(microseconds: entry.first), last: Timestamp(microseconds: entry.last),
            outboxAge: entry.outboxAge, subject: entry.subject)
    }
}

extension CensusBook.Key {
    var isAnonymous: Bool { device == CensusTable.anonymous }

    /// The key, in the same version of the same app, under which all devices that state no id are counted.
    var anonymous: CensusBook.Key { CensusBook.Key(app: app, shape: shape, device: CensusTable.anonymous) }
}
