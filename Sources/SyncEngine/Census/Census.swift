import PGStore
package import Postgres
import Synchronization
package import WireFormats

/// The census of one process: which devices use which version of the apps that it serves, since it last wrote that
/// down.
///
/// Requests only tell it; nothing is written for them. `flush` writes what is new for all of them together.
package final class Census: Sendable {
    private let apps: [String]
    /// By app and shape: how clients state it.
    private let versions: [[String]]
    private let book: Mutex<CensusBook>
    private let hasBegun = Mutex<Bool>(false)
    /// When it last said that all is written, in microseconds.
    private let counted = Mutex<Int64?>(nil)
    /// When it first tried to write, from when on it may have seen what is not written.
    private let began = Mutex<Timestamp?>(nil)
    /// True once the database knows that this process is there.
    private let hasAppeared = Mutex(false)
    /// Which process it is of, by chance: what each has not written counts against gates.
    package let server = Int32.random(in: 1...Int32.max)

    /// How often it is written. A process that is killed loses what it saw since, so seconds; and often enough that a
    /// flush is small, where a few thousand devices come each second.
    package static let flushInterval = Duration.seconds(10)
    /// What moved by less than this is not written again: a device that polls every few seconds is written twelve
    /// times an hour, whatever the number of servers.
    package static let unmoved = Duration.seconds(300)
    /// How much later than written a device may have been seen: it moved little since its row was written, and then
    /// little since this process looked; and the flush after that is not over.
    package static let slack = unmoved * 2 + flushInterval
    /// The most devices that a process remembers, in two hundred bytes or so each and their subject's name: 20 MB, or
    /// 45 where each has the longest name that a token may have. Those that it forgets are written once more when they
    /// come again. While the database does not take them, further ones are counted together, as those that state no
    /// device.
    package static let entriesMax = 100_000
    /// The time after which it is said again that all is written, even where nothing is: a gate waits where that is
    /// long ago.
    static let countInterval = Duration.seconds(60)
    /// The longest that a server at work may say nothing: two times that, and the flushes that they come with.
    package static let silence = countInterval * 2 + flushInterval
    /// How many rows one statement writes, well under a second's work.
    static let rowsMax = 10_000

    package init(_ plans: [Plan], entriesMax: Int = Census.entriesMax) {
        apps = plans.map(\.app)
        versions = plans.map { plan in plan.shapes.indices.map { plan.name(of: $0).description } }
        book = Mutex(CensusBook(entriesMax: entriesMax, unmoved: Census.unmoved))
    }

    /// What the engine of one app tells.
    package struct Taker: Sendable {
        private let census: Census
        /// A place in `Census.apps`.
        private let app: Int

        fileprivate init(_ census: Census, app: Int) {
            self.census = census
            self.app = app
        }

        /// Notes that a device uses a version.
        ///
        /// - Parameters:
        ///   - shape: a place in the plan's `shapes`.
        ///   - subject: whose token the request came with: each may add so many devices, in whatever spaces.
        ///   - outboxAge: what the device says of its outbox; `nil` where it says nothing.
        package func note(
            _ shape: Int, by device: ID?, of subject: Subject, outboxAge: OutboxAge?, at time: Timestamp
        ) {
            let key = CensusBook.Key(app: app, shape: shape, device: device ?? CensusTable.anonymous)
            census.book.withLock { $0.note(key, of: subject, at: time.microseconds, outboxAge: outboxAge?.seconds) }
        }
    }

    /// For the engine of the app at this place in the plans.
    package func taker(for app: Int) -> Taker {
        Taker(self, app: app)
    }

    /// How many devices and versions are known here, and how many of them are to be written.
    package var counts: (known: Int, due: Int) { book.withLock { $0.counts } }

    /// Writes what is due, and says that all is written once it is. The first flush says that the census has begun,
    /// even where nobody was seen.
    ///
    /// - Returns: how many rows were written.
    /// - Throws: `PGError`; what could not be written is kept and is due again, and gates are shut meanwhile.
    @discardableResult
    package func flush(on pool: Pool, at now: Timestamp) async throws -> Int {
        try await appear(on: pool, at: now)
        var (written, isAlone) = (0, true)
        while true {
            let (others, taken) = book.withLock { ($0.underWay, $0.take(Census.rowsMax)) }
            // What another flush is at may still fail.
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
            // There is more, or may be.
            if isAnew || taken.count == Census.rowsMax { continue }
            guard isAlone else { return written }
            // By itself: in one transaction with sightings, two servers would wait for each other's rows.
            try await count(on: pool, at: now)
            return written
        }
    }

    /// Says at first that the process is there: one that never can write what it sees would be gone without a trace.
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
            // Where the database does not take that either, gates are shut once it has heard nothing for a while.
            let missing = CensusTable.missing(server, at: now)
            _ = try? await pool.withSession { session in try await session.execute(missing) }
            throw error
        }
    }

    /// Takes the process out of those that count, after the last flush. Where that has not written all, it stays among
    /// them, and counts against gates.
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

    /// Someone in the same version, no matter who.
    var anonymous: CensusBook.Key { CensusBook.Key(app: app, shape: shape, device: CensusTable.anonymous) }
}
