import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import WireFormats

@testable import SyncServer

/// One database that comes from an app's first version to its newest by drafted files alone, each in phases: with rows
/// in every table, and with a server of the release before that goes on writing until the contract.
struct DraftTrial {
    let files: DraftedFiles
    private var plan: Plan { files.plan }

    /// The faults of the files as the linter reads them, of the tables on the way, and of what is left over.
    func problems() async throws -> [String] {
        var found = try lint()
        let rest = try await withTestDatabase { database in
            // Rows of any space: a superuser is not subject to row-level security.
            let session = try await Session.open(database.superuserConnectionString)
            var found: [String] = []
            do {
                for version in plan.schemas.indices { found += try await advance(to: version, database, session) }
            } catch let error as MigrationError {
                found.append("\(error)")
            }
            await session.close()
            return found
        }
        found += rest
        return found
    }

    private func lint() throws -> [String] {
        let line = try files.line(upTo: plan.newest)
        return try MigrationLinter(plans: [plan]).findings(in: line).map(\.description)
    }

    private func advance(to version: Int, _ database: TestDatabase, _ session: Session) async throws -> [String] {
        let lines = [try DraftedFiles.serverLine(), try files.line(upTo: version)]
        let migrator = Migrator(database.connectionString, lines: lines)
        let (app, hub) = (plan.app, plan.cut(after: version).hub)
        let before = version == 0 ? nil : plan.cut(after: version - 1).hub
        func differences(_ rollout: Agreement.Rollout = .init()) async throws -> [String] {
            try await session.transaction { session in
                (try Agreement.differences(of: hub, in: rollout, session) + Agreement.breaches(in: [app], session))
                    .map { "\(hub.schema) at \(version): \($0)" }
            }
        }
        try await migrator.up()
        var found = try await differences(.init(hasContractsLeft: true))
        if let before { try await Self.write(before, session) }
        let run = try await migrator.up(contracts: .run)
        found += run.left.map { "\($0.step) waits: \($0.reason)" }
        found += try await differences()
        found += try await leftovers(session)
        try await migrator.verify()
        try await Self.write(hub, session)
        found += try await unchecked(session)
        return found
    }

    /// Writes as a server of these tables does: inserts rows into each, and updates all old ones.
    static func write(_ hub: Hub, _ session: Session) async throws {
        for entity in hub.entities {
            let table = "\(hub.schema).\"\(entity.table)\""
            let names = entity.columns.map { "\"\($0.name)\"" }
            func values(other: Bool) -> [String] {
                entity.columns.map {
                    "CAST('\(DraftedFiles.value($0.type.rawValue, other: other))' AS \($0.type.rawValue))"
                }
            }
            let changes = zip(names, values(other: true)).map { "\($0) = \($1)" } + ["born = born + 2048"]
            let update = "UPDATE \(table) SET \(changes.joined(separator: ", "))"
            let insert = """
                INSERT INTO \(table) (\((["space_id", "id", "seq", "alive", "stamp", "born", "died"] + names)
                    .joined(separator: ", ")))
                SELECT \((["gen_random_uuid()", "gen_random_uuid()", "1", "true", "5000::bigint << 11", "0", "0"]
                    + values(other: false)).joined(separator: ", ")) FROM generate_series(1, 3)
                """
            try await session.transaction { session in
                _ = try session.execute(Command(Statement(unchecked: update)))
                _ = try session.execute(Command(Statement(unchecked: insert)))
            }
        }
    }

    /// Tables and columns that a contract should have dropped.
    private func leftovers(_ session: Session) async throws -> [String] {
        try await session.transaction { [app = plan.app] session in
            let rows = try session.execute(
                Command(
                    """
                    SELECT proname FROM pg_proc WHERE pronamespace = $1::regnamespace
                    UNION ALL SELECT tgname FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
                    WHERE c.relnamespace = $1::regnamespace AND NOT tgisinternal
                    UNION ALL SELECT conname FROM pg_constraint
                    WHERE connamespace = $1::regnamespace AND contype = 'c' AND conname !~ '_can_be_sent$'
                    """, [.text(app)]))
            return (0..<rows.count).map { "\(rows.string($0, 0)) is left over" }
        }
    }

    /// Columns that SQL can write into what no device can be sent.
    private func unchecked(_ session: Session) async throws -> [String] {
        try await session.transaction { [app = plan.app] session in
            let columns = try session.execute(
                Command(
                    """
                    SELECT format('%I.%I', n.nspname, c.relname), quote_ident(a.attname),
                        a.atttypid = 'timestamptz'::regtype
                    FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
                        JOIN pg_namespace AS n ON n.oid = c.relnamespace
                    WHERE n.nspname = $1 AND c.relkind = 'r' AND NOT a.attisdropped
                        AND a.atttypid IN ('float8'::regtype, 'numeric'::regtype, 'timestamptz'::regtype)
                    """, [.text(app)]))
            var taken: [String] = []
            for row in 0..<columns.count {
                let (table, column) = (columns.string(row, 0), columns.string(row, 1))
                let values =
                    columns.bool(row, 2)
                    ? ["infinity", "-infinity", "10000-01-01Z"] : ["NaN", "Infinity", "-Infinity"]
                for value in values {
                    let update = "UPDATE \(table) SET \(column) = '\(value)'"
                    try session.execute("SAVEPOINT attempt")
                    do {
                        try session.execute(Command(Statement(unchecked: update)))
                        taken.append("\(table).\(column) takes \(value)")
                    } catch PGError.constraintViolation(let constraint, _) where constraint.hasSuffix("_can_be_sent") {
                    }
                    try session.execute("ROLLBACK TO SAVEPOINT attempt")
                }
            }
            return taken
        }
    }
}
