import PGMigrations
import PGStore
import PlantedBugs
import Postgres
import WireFormats

/// The switch: the source stops serving the spaces, and the target gets its last changes.
extension SpaceMover {
    /// An error: something took longer than the spaces may be without a database.
    private struct TooLong: Error {
        let waitedFor: String
    }

    /// Lets the source serve the spaces no more, waits until the target has all changes, and compares the rows. After
    /// that, no database serves the spaces. If something takes too long, the source serves the spaces again, and this
    /// is tried once more.
    ///
    /// - Returns: the time when the source stopped.
    /// - Throws: `PlacementError.pauseTooLong`, `differs`; then the source serves the spaces.
    func shut(_ move: SpaceMove) async throws -> ContinuousClock.Instant {
        // They cannot change: no migration runs during a move.
        let tables = try await tables()
        var last = ""
        for _ in 0..<limits.attemptsMax {
            try await waitUntilInStep(move)
            let start = ContinuousClock.now
            if PlantedBug.moveForgetsLast.isPlanted { try await endReplication(of: move) }
            if !PlantedBug.bucketTwice.isPlanted {
                try await source.session.execute(BucketMarks.setting(move.spaces, isServed: false))
            }
            CrashPoint.pass()
            do {
                try await report(.paused)
                try await finish(move, tables, until: start + limits.pauseMax)
                return start
            } catch let error as TooLong {
                last = error.waitedFor
                try await source.session.execute(BucketMarks.setting(move.spaces, isServed: true))
                try await report(.gaveUp(waitingFor: last))
            } catch {
                try await source.session.execute(BucketMarks.setting(move.spaces, isServed: true))
                throw error
            }
            try await Task.sleep(for: limits.lagMax)
        }
        throw PlacementError.pauseTooLong(waitedFor: last, attempts: limits.attemptsMax)
    }

    /// Waits until a change in the source arrives in the target within a short time.
    private func waitUntilInStep(_ move: SpaceMove) async throws {
        while true {
            let (mark, start) = (ID.random(), ContinuousClock.now)
            _ = try await progress(of: move)
            try await source.session.execute(SpaceReplication.marking(mark))
            while try await !target.session.execute(SpaceReplication.finding(mark)).bool(0, 0) {
                let lag = ContinuousClock.now - start
                try await report(.behind(lag))
                if lag > limits.lagMax { _ = try await progress(of: move) }
                try await Task.sleep(for: lag > limits.lagMax ? limits.interval : limits.pauseInterval)
            }
            if ContinuousClock.now - start < limits.lagMax { return }
        }
    }

    private func finish(
        _ move: SpaceMove, _ tables: [MovedTable], until deadline: ContinuousClock.Instant
    ) async throws {
        // Statements that begin from now on read that the spaces are not here. Earlier ones hold their locks.
        let rows = try await source.session.execute(SpaceReplication.findingWriters(tables))
        let writers = (0..<rows.count).map { rows.string($0, 0) }
        try await wait(for: "an open transaction in \(source.name)", until: deadline) {
            try await source.session.execute(SpaceReplication.counting(writers)).int(0, 0) == 0
        }
        if !PlantedBug.moveForgetsLast.isPlanted {
            let mark = ID.random()
            try await source.session.execute(SpaceReplication.marking(mark))
            try await wait(for: "the last changes on their way to \(target.name)", until: deadline) {
                try await target.session.execute(SpaceReplication.finding(mark)).bool(0, 0)
            }
            CrashPoint.pass()
            try await compare(tables, move, until: deadline)
        }
        CrashPoint.pass()
        try await adopt(move)
    }

    private func wait(
        for what: String, until deadline: ContinuousClock.Instant, _ isOver: () async throws -> Bool
    ) async throws {
        while try await !isOver() {
            if ContinuousClock.now > deadline { throw TooLong(waitedFor: what) }
            try await Task.sleep(for: limits.pauseInterval)
        }
    }

    /// Compares the number of rows and their digest, table by table.
    private func compare(
        _ tables: [MovedTable], _ move: SpaceMove, until deadline: ContinuousClock.Instant
    ) async throws {
        let command = MovedTable.digesting(move.spaces, in: tables)
        async let here = digests(command, in: source, until: deadline)
        async let there = digests(command, in: target, until: deadline)
        let (a, b) = try await (here, there)
        for (table, (own, other)) in zip(tables, zip(a, b)) where own != other {
            throw PlacementError.differs(table: table.name)
        }
        try await report(.compared(rows: a.reduce(0) { $0 + $1.count }, tables: tables.count))
    }

    private struct Digest: Hashable, Sendable {
        let count: Int64
        let sum: String
    }

    private func digests(
        _ command: Command, in database: Database, until deadline: ContinuousClock.Instant
    ) async throws -> [Digest] {
        let rest = deadline - .now
        guard rest > .zero else { throw TooLong(waitedFor: "comparing the rows") }
        let limiting = Command(
            "SELECT set_config('statement_timeout', $1, true)", [.text("\(rest.wholeMilliseconds + 1)ms")])
        do {
            return try await database.session.transaction(.snapshot, preamble: [limiting]) { session in
                let rows = try session.execute(command)
                return (0..<rows.count).map { Digest(count: rows.int($0, 1), sum: rows.string($0, 2)) }
            }
        } catch PGError.statementTimeout {
            throw TooLong(waitedFor: "comparing the rows in \(database.name)")
        }
    }

    /// Writes into the target what belongs to the rows and is not replicated: the lists of spaces and of held changes,
    /// and the epoch of the spaces' cursors.
    private func adopt(_ move: SpaceMove) async throws {
        let here = BucketMarks.Row(try await source.session.execute(BucketMarks.reading))
        let there = BucketMarks.Row(try await target.session.execute(BucketMarks.reading))
        var commands = MovedTable.enlisting(move.spaces)
        if here.epoch != there.epoch { commands.append(MovedTable.keeping(here.epoch, in: move.spaces)) }
        try await target.session.pipeline(commands)
    }
}
