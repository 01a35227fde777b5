package import PGStore
package import Postgres
import Synchronization

/// One server among those at work on a database: it has said which migrations it knows, so that none takes away what it
/// needs while it serves.
package actor ServerRegistration {
    private let string: ConnectionString
    private let role: String?
    private let lines: [MigrationLine]
    private let server: Int32?
    private let lifeline: Lifeline?
    private var session: Session
    private let outdated = Atomic<Bool>(false)
    /// How each line stood when the server came, by name.
    package nonisolated let rollouts: [String: Agreement.Rollout]

    /// How long to wait for a contract step that runs just now.
    private static let attemptsMax = 600
    private static let pause = Duration.milliseconds(100)
    /// How long another may believe that we are gone after our session broke.
    private static let interval = Duration.seconds(5)

    /// Whether the database has gone on without us: what this server needs was taken away while its session was broken.
    package nonisolated var isOutdated: Bool { outdated.load(ordering: .acquiring) }

    private init(
        _ string: ConnectionString, _ role: String?, _ lines: [MigrationLine], _ server: Int32?, _ lifeline: Lifeline?,
        _ place: (Session, [String: Agreement.Rollout])
    ) {
        (self.string, self.role, self.lines, self.server) = (string, role, lines, server)
        self.lifeline = lifeline
        (session, rollouts) = place
    }

    /// Takes its place, once all that it knows is there and nothing of it is gone.
    ///
    /// - Parameters:
    ///   - role: which reads the ledger; `nil` for the login.
    ///   - server: under which it counts devices; `nil` for one that does not.
    ///   - lifeline: what ends all its waits when it is cut.
    /// - Throws: `pooled`, `unfit`, `notServable`, `contracted`; `busy` where a contract step takes too long;
    ///   `database`.
    package static func announce(
        _ string: ConnectionString, role: String? = nil, _ lines: [MigrationLine], counting server: Int32? = nil,
        lifeline: Lifeline? = nil
    ) async throws(MigrationError) -> ServerRegistration {
        ServerRegistration(
            string, role, lines, server, lifeline, try await open(string, role, lines, server, lifeline))
    }

    /// Takes the place again whenever the session was lost, until cancelled or outdated.
    ///
    /// - Parameter report: told what went wrong, and `nil` when the place is taken again; where that is no longer to be
    ///   fixed, `isOutdated`.
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

    /// Leaves its place, at once: the server notices a closed connection a little later.
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
            try await session.execute(CensusTable.presence(of: server))
        } catch {
            throw .database(error)
        }
    }

    /// - Returns: how each line stands.
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
    /// The number of its last file: how far a server that has it knows the line.
    package var level: Int { files.last?.id.number ?? 0 }

    /// The number of its last file that changes what rows are: how far a server must know the line to serve what one
    /// writes that has all of it. What comes after only makes the same rows faster to find.
    package var claimedLevel: Int { files.last { !$0.leavesRowsAlone }?.id.number ?? 0 }
}

extension [MigrationLine] {
    /// How far a server that has these lines knows one of them.
    package func level(of name: String) -> Int { first { $0.name == name }?.level ?? 0 }

    /// Tells how far a server must know a line to serve what a server with these lines writes.
    package func claimedLevel(of name: String) -> Int { first { $0.name == name }?.claimedLevel ?? 0 }
}
