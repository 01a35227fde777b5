import DemoApps
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// A push costs what its records do, however many the space has: PostgreSQL finds each by its key, also in a space that
/// its statistics do not know.
@Suite struct KeyLookupTests {
    /// So many that reading a whole space costs more than looking up a hundred.
    private static let records = 20_000

    @Test(arguments: [1, 100])
    func recordsAreFoundByTheirKeys(count: Int) async throws {
        try await withFilledTable { table, session in
            for command in commands(of: table, count) {
                let plan = try await session.plan(of: command)
                #expect(plan.contains("_pkey") && plan.contains("(id >= "), "\(plan)")
                #expect(!plan.contains("_idx") && !plan.contains("Filter: (id"), "\(plan)")
            }
        }
    }

    /// The check can fail: without what the tables say of themselves, other indexes are taken for an equal id.
    @Test func byItselfPostgreSQLExpectsFewRows() async throws {
        try await withFilledTable { table, session in
            let reset = "ALTER COLUMN space_id SET STATISTICS -1, ALTER COLUMN space_id RESET (n_distinct)"
            try await session.execute(Command(Statement(unchecked: "ALTER TABLE \(table.name) \(reset)")))
            try await session.execute(Command(Statement(unchecked: "ANALYZE \(table.name)")))
            let plan = try await session.plan(of: equalID(table))
            #expect(!plan.contains("(id = ") || plan.contains("Filter: (id"), "\(plan)")
        }
    }

    /// A record by an equal id, as none of our statements looks for it.
    private func equalID(_ table: RecordTable) -> Command {
        let sql = "SELECT FROM \(table.name) WHERE space_id = $1 AND id = $2"
        return Command(Statement(unchecked: sql), [.id(.random()), .id(.random())])
    }

    /// The commands by which a push reads and writes existing records, in a space of its own.
    private func commands(of table: RecordTable, _ count: Int) -> [Command] {
        let space = ID.random()
        let states = (0..<count).map { _ in state(of: table) }
        return [table.selecting(states.map(\.id), in: space)] + table.updating(states, in: space).filter(\.isPlanned)
    }

    /// Also in a space that came when there was only one, and statistics say that there is no other.
    @Test func recordsAreFoundInASecondSpace() async throws {
        try await withFilledTable(spaces: 1) { table, session in
            for command in commands(of: table, 10) {
                let plan = try await session.plan(of: command)
                #expect(plan.contains("_pkey") && plan.contains("AND (id >= "), "\(plan)")
            }
            // The check can fail.
            let seeing = try await session.plan(of: equalID(table))
            #expect(seeing.contains("Filter: (id"), "\(seeing)")
        }
    }

    /// A creation is looked up by its key, also in a table of which PostgreSQL has no statistics yet.
    @Test func creationsAreLookedForByTheirKeysInANewTable() async throws {
        try await withTable { table, session in
            let looking = try await session.plan(of: table.looking(for: .random(), in: .random()))
            #expect(looking.contains("_pkey") && looking.contains("(id >= "), "\(looking)")
            // The check can fail: this is how it would look for an equal id.
            let selecting = try await session.plan(of: equalID(table))
            #expect(selecting.contains("Filter: (id"), "\(selecting)")
        }
    }

    /// A push of many updates goes to each record where it was found, also where PostgreSQL believes that the space has
    /// few of them, because there are so many spaces.
    @Test func manyAreUpdatedWhereTheyWereFound() async throws {
        try await withFilledTable(spaces: 100, of: 200) { table, session in
            let updates = table.updating((0..<20).map { _ in state(of: table) }, in: .random())
            let plan = try await session.plan(inTransactionOf: updates)
            #expect(plan.contains("TID Cond: (ctid = ") && !plan.contains("Join Filter"), "\(plan)")
        }
    }

    /// Clamped stamps and increments are forgotten in one pass, also in a table of which PostgreSQL knows nothing: a
    /// nested loop took 36 s for 5,000 of 10,000 stamps.
    @Test func whatIsRememberedOfASpaceIsForgottenInOnePass() async throws {
        try await withTable { _, session in
            let (spaces, space) = (Spaces(app: "fitiq", level: 0), ID.random())
            for commands in [
                spaces.makingRoom(forClamps: 5_000, of: .random(), in: space),
                spaces.forgetting(space, before: Stamp(unchecked: 1), limit: 1_000),
            ] {
                let plan = try await session.plan(inTransactionOf: commands)
                #expect(plan.contains("Join") && !plan.contains("Nested Loop"), "\(plan)")
                // The check can fail: this is what it would do.
                let byItself = try await session.plan(inTransactionOf: commands.filter(\.isPlanned))
                #expect(byItself.contains("Nested Loop"), "\(byItself)")
            }
        }
    }

    /// Tombstones are cleared and removed where they were found by their numbers, in a space that PostgreSQL's
    /// statistics do not know.
    @Test func tombstonesAreFoundByTheirNumbers() async throws {
        try await withFilledTable { table, session in
            let plan = try Plan(FitIQPlan.self)
            let tables = plan.hub.entities.map { RecordTable($0, schema: plan.hub.schema) }
            let tombstones = Tombstones(plan.hub, tables: tables)
            let entity = table.entity.index
            let blank = table.entity.columns.map { $0.isNullable ? Value.null : Self.value(of: $0.type) }
            for command in [
                tombstones.removing(entity, in: .random(), through: 1, but: [], limit: 1_000),
                tombstones.clearing(
                    entity, in: .random(), after: 0, through: 1, but: [], limit: 1_000, deletedBy: .never, to: blank),
            ] {
                let plan = try await session.plan(of: command)
                #expect(plan.contains("TID Cond: (ctid = hit.place)") && plan.contains("(seq <= "), "\(plan)")
            }
        }
    }

    private func state(of table: RecordTable) -> RecordState {
        RecordState(
            id: .random(), values: table.entity.columns.map { $0.isNullable ? .null : Self.value(of: $0.type) },
            stamps: StampSet(units: table.entity.units.count), createdStamp: Stamp(unchecked: 1), seq: 1, isAlive: true)
    }

    /// Any value of a column.
    static func value(of type: ColumnType) -> Value {
        switch type {
        case .boolean: .bool(false)
        case .bigint: .int(0)
        case .double: .double(0)
        case .numeric: .decimal(.zero)
        case .text: .string("")
        case .timestamp: .date(Timestamp(microseconds: 0))
        case .uuid: .uuid(.random())
        case .bytes: .data([])
        case .json: .json("[]")
        }
    }

    private func withFilledTable(
        spaces: Int = 2, of records: Int = records, _ body: (RecordTable, Session) async throws -> Void
    ) async throws {
        try await withTable { table, session in
            for _ in 0..<spaces {
                let states = (0..<records).map { _ in state(of: table) }
                try await session.execute(table.inserting(states, in: .random()))
            }
            try await session.execute(Command(Statement(unchecked: "ANALYZE \(table.name)")))
            try await body(table, session)
        }
    }

    private func withTable(_ body: (RecordTable, Session) async throws -> Void) async throws {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            let plan = try Plan(FitIQPlan.self)
            let entity = try #require(plan.hub.entities.first { $0.table == "sd_meal" })
            let session = try await Session.open(database.connectionString)
            try await body(RecordTable(entity, schema: plan.hub.schema), session)
            await session.close()
        }
    }
}

extension Command {
    /// True if the command is more than a setting.
    fileprivate var isPlanned: Bool { !statement.sql.hasPrefix("SET") }
}

extension Session {
    /// Returns PostgreSQL's plan of the one command that is planned, after those before it.
    fileprivate func plan(inTransactionOf commands: [Command]) throws -> String {
        try transaction { session in
            var plan = ""
            for command in commands {
                if command.isPlanned {
                    plan += try session.plan(of: command)
                } else {
                    try session.execute(command)
                }
            }
            return plan
        }
    }

    /// Returns PostgreSQL's plan of a command with its values.
    fileprivate func plan(of command: Command) throws -> String {
        let explaining = Statement(unchecked: "EXPLAIN (COSTS OFF) \(command.statement.sql)")
        let rows = try execute(Command(explaining, command.parameters))
        return (0..<rows.count).map { rows.string($0, 0) }.joined(separator: "\n")
    }
}
