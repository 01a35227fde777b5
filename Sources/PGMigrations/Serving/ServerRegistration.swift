package import PGStore
package import Postgres
import Synchronization

/// The registration of one server among those at work on a database. It records which migrations the server knows, so
/// that no migration removes objects that the server needs while it serves.
package actor ServerRegistration {
    private let string: ConnectionString
    private let role: String?
    private let lines: [MigrationLine]
    private let server: Int32?
    private let lifeline: Lifeline?
    private var session: Session
    private let outdated = Atomic<Bool>(false)
    /// The progress of each line of migrations when the server started, by the line's name. It tells if the database is
    /// ahead of the server, and if contract steps (which remove old objects) still have to run.
    package nonisolated let rollouts: [String: Agreement.Rollout]

    /// The maximum number of attempts to register while a contract step runs. With the pauses, they take a minute.
    private static let attemptsMax = 600
    private static let pause = Duration.milliseconds(100)
    /// The time between two checks of the session. If the session breaks, this server may be unregistered for that
    /// long.
    private static let interval = Duration.seconds(5)

    /// True if a contract step removed objects that this server needs, while the server's session was broken.
    package nonisolated var isOutdated: Bool { outdated.load(ordering: .acquiring) }

    private init(
        _ string: ConnectionString, _ role: String?, _ lines: [MigrationLine], _ server: Int32?, _ lifeline: Lifeline?,
        _ opened: (Session, [String: Agreement.Rollout])
    ) {
        (self.string, self.role, self.lines, self.server) = (string, role, lines, server)
        self.lifeline = lifeline
        (session, rollouts) = opened
    }

    /// Registers the server as running. Throws an error unless all migrations that it knows are applied and the objects
    /// that it needs still exist.
    ///
    /// - Parameters:
    ///   - role: the role that reads the ledger; `nil` for the login.
    ///   - server: the number under which this server counts devices in the census (the record of the app version that
    ///     each device uses); `nil` for a server that does not count.
    ///   - lifeline: ends all waits of the registration when it is cut.
    /// - Throws: `pooled`, `unfit`, `notServable`, `contracted`; `busy` if a contract step takes too long; `database`.
    package static func announce(
        _ string: ConnectionString, role: String? = nil, _ lines: [MigrationLine], counting server: Int32? = nil,
        lifeline: Lifeline? = nil
    ) async throws(MigrationError) -> ServerRegistration {
        ServerRegistration(
            string, role, lines, server, lifeline, try await open(string, role, lines, server, lifeline))
    }

    /// Registers the server again whenever its session is lost. Returns when the task is cancelled, or when the server
    /// can no longer be registered because objects that it needs were removed.
    ///
    /// - Parameter report: receives the error of each failed attempt, and `nil` after a successful one. If the
    ///   registration's `isOutdated` is true, there are no further attempts.
    package func watch(report: @Sendable (MigrationError?) -> Void) async {
        while (try? await Task.sleep(for: ServerRegistration.interval)) != nil {
            if await session.ping() { continue }
            await session.close()
            if Task.isCancelled { return }
            do throws(MigrationError) {
                session = try await ServerRegistration.open(string, role, lines, server, lifeline).0
                report(nil)
            } catch {
                if case .contracted = error { outdated.store(true, ordering: .releasing) }
                report(error)
                if isOutdated { return }
            }
        }
    }

    /// Releases the registration's locks, then closes its session. If the session were only closed, PostgreSQL would
    /// release the locks a little later.
    package func end() async {
        _ = try? await session.execute(Command("SELECT pg_advisory_unlock_all()"))
        await session.close()
    }

    private static func open(
        _ string: ConnectionString, _ role: String?, _ lines: [MigrationLine], _ server: Int32?, _ lifeline: Lifeline?
    ) async throws(MigrationError) -> (Session, [String: Agreement.Rollout]) {
        let session: Session
        do throws(PGError) {
            session = try await Session.open(string, role: role, settings: .migrating, lifeline: lifeline)
        } catch {
            throw .database(error)
        }
        do throws(MigrationError) {
            try await PoolerProbe.refuse(session, string, lifeline: lifeline)
            try await DatabaseFitness.check(session, serving: true)
            for line in lines { try await announce(line, session) }
            let rollouts = try await check(lines, session)
            if let server { try await count(server, session) }
            return (session, rollouts)
        } catch {
            await session.close()
            throw error
        }
    }

    private static func announce(_ line: MigrationLine, _ session: Session) async throws(MigrationError) {
        for _ in 1...attemptsMax {
            do throws(PGError) {
                if try await ServingLevel.announce(line.level, of: line.name, session) { return }
            } catch {
                throw .database(error)
            }
            do { try await Task.sleep(for: pause) } catch { throw .cancelled }
        }
        throw .busy(holders: [])
    }

    private static func count(_ server: Int32, _ session: Session) async throws(MigrationError) {
        do throws(PGError) {
            try await session.execute(CensusTable.registration(of: server))
        } catch {
            throw .database(error)
        }
    }

    /// Checks that the migrations of these lines are applied, and that no contract step has removed objects that a
    /// server with these lines needs.
    ///
    /// - Returns: the progress of each line of migrations, by the line's name.
    private static func check(
        _ lines: [MigrationLine], _ session: Session
    ) async throws(MigrationError) -> [String: Agreement.Rollout] {
        let ledger: Ledger
        do throws(PGError) { ledger = try await Ledger.read(session) } catch { throw .database(error) }
        let known = Set(lines.map(\.name))
        let statuses = MigrationStatus.compare(lines, with: ledger).filter { known.contains($0.id.line) }
        let missing = statuses.filter { !$0.isServable }
        if let first = missing.first { throw .notServable(path: first.path, first.state, count: missing.count) }
        for line in lines where ledger.floor(of: line.name) > line.level {
            throw .contracted(line: line.name, level: line.level, floor: ledger.floor(of: line.name))
        }
        return statuses.rollouts
    }
}

extension MigrationLine {
    /// The number of the last migration in the line. A server with these files announces this number as its level.
    package var level: Int { files.last?.id.number ?? 0 }

    /// The number of the last migration that changes what rows contain. Rows that a server with these files writes can
    /// only be served by servers that know this migration. Later migrations, such as one that only adds an index, do
    /// not matter.
    package var claimedLevel: Int { files.last { !$0.leavesRowsAlone }?.id.number ?? 0 }
}

extension [MigrationLine] {
    /// Returns the number of the last file of the migration line `name`; 0 if there is no such line.
    package func level(of name: String) -> Int { first { $0.name == name }?.level ?? 0 }

    /// Returns the level that another server needs to serve the rows that a server with these migration files writes. A
    /// level is the number of the last migration of the line `name` that a server knows.
    package func claimedLevel(of name: String) -> Int { first { $0.name == name }?.claimedLevel ?? 0 }
}
