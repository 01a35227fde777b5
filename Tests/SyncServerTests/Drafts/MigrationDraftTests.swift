import DemoApps
import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer
@testable import Workshop

/// Tests of drafts of `schema sql` on a real database, beside the files written by hand.
@Suite struct MigrationDraftTests {
    private static func plan(_ app: String) throws -> Plan {
        try Plan(try #require((plans + [StreetsPlan.self]).first { $0.app == app }))
    }

    /// Columns with types, nulls and defaults in their order; indices; policies.
    private static func shape(_ app: String, _ session: isolated Session) throws -> [String] {
        let rows = try session.execute(
            Command(
                """
                SELECT concat_ws(' ', table_name, ordinal_position, column_name, data_type, is_nullable, column_default)
                FROM information_schema.columns WHERE table_schema = $1
                UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = $1
                UNION ALL SELECT concat_ws(' ', tablename, policyname, qual) FROM pg_policies WHERE schemaname = $1
                ORDER BY 1
                """, [.text(app)]))
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    private static func shape(_ app: String, of lines: [MigrationLine], agreesWith plan: Plan) async throws -> [String]
    {
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: lines).up()
            let session = try await database.session()
            let (differences, shape) = try await session.transaction { session in
                (
                    try Agreement.differences(of: plan.hub, session) + Agreement.breaches(in: [app], session),
                    try Self.shape(app, session)
                )
            }
            #expect(differences.isEmpty, "\(differences)")
            await session.close()
            return shape
        }
    }

    @Test("M28: the drafts make the tables that the hand-written files make", arguments: DemoApps.all.map { $0.app })
    func theDraftsMakeTheTablesThatTheHandWrittenFilesMake(_ app: String) async throws {
        let plan = try Self.plan(app)
        let drafted = [try DraftedFiles.serverLine(), try DraftedFiles(plan: plan).line(upTo: plan.newest)]
        let shape = try await Self.shape(app, of: drafted, agreesWith: plan)
        #expect(shape == (try await Self.shape(app, of: Repository.migrations(of: app), agreesWith: plan)))
        #expect(!shape.isEmpty)
    }

    @Test(arguments: DemoApps.all.map { $0.app })
    func oneDraftFromNothingMakesThemToo(_ app: String) async throws {
        let plan = try Self.plan(app)
        let line = try Self.line(of: MigrationDraft(plan, from: nil, to: plan.newest, number: 1), app)
        _ = try await Self.shape(app, of: [try DraftedFiles.serverLine(), line], agreesWith: plan)
    }

    private static func line(of draft: MigrationDraft, _ app: String) throws -> MigrationLine {
        let text = DraftedFiles.written((["-- sync: silent"] + draft.blocks).joined(separator: "\n\n"))
        let file = try MigrationFile(
            line: app, fileName: "0001-\(try #require(draft.name)).sql", bytes: Array(text.utf8))
        return try MigrationLine(name: app, files: [file])
    }

    // MARK: In phases

    static let plans: [any SchemaMigrationPlan.Type] =
        DemoApps.all + [PantryPlan.self, TripsPlan.self]

    /// The apps, and what none of them has.
    @Test(
        "M21, M22, M23: no draft has a fault, each runs in phases with rows in the tables, and servers of before go on",
        arguments: plans.map { $0.app })
    func everyDraftRunsInPhasesBesideTheReleaseBefore(_ app: String) async throws {
        let plan = try Plan(try #require(Self.plans.first { $0.app == app }))
        let problems = try await DraftTrial(files: DraftedFiles(plan: plan)).problems()
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    /// Something that a draft of EasitOpen's for 1.0.0 might get wrong, and the report of it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let text: String
        let replacement: String
        let received: String

        var testDescription: String { "\(text) → \(replacement)" }
    }

    static let faults = [
        Fault(text: " NOT VALID", replacement: "", received: "[constraint-checked-at-once]"),
        Fault(text: "-- phase: backfill\n", replacement: "-- phase: expand\n", received: "[unbounded-change]"),
        Fault(text: "INSERT OR UPDATE", replacement: "UPDATE", received: "is violated by some row"),
        Fault(text: "item.last_updated IS NULL", replacement: "false", received: "must return no row"),
        Fault(
            text: "last_checked    timestamptz", replacement: "last_checked timestamptz NOT NULL DEFAULT now()",
            received: "the plan needs a nullable column"),
        Fault(
            text: "    ALTER COLUMN last_updated SET NOT NULL,\n", replacement: "",
            received: "the plan needs NOT NULL"),
        Fault(
            text: "DROP FUNCTION", replacement: "-- DROP FUNCTION",
            received: "fill_business_last_updated is left over"),
    ]

    @Test(arguments: faults)
    func theMistakesOfADraftAreReported(_ fault: Fault) async throws {
        let plan = try Self.plan("easitopen")
        let files = DraftedFiles(plan: plan) { version, text in
            version == 2 ? text.replacing(fault.text, with: fault.replacement) : text
        }
        #expect(try files.line(upTo: 2) != DraftedFiles(plan: plan).line(upTo: 2))
        let problems = try await DraftTrial(files: files).problems()
        #expect(problems.contains { $0.contains(fault.received) }, "\(problems)")
    }

    @Test(arguments: plans.map { $0.app })
    func draftsAreReadable(_ app: String) throws {
        let plan = try Plan(try #require(Self.plans.first { $0.app == app }))
        for version in plan.schemas.indices {
            for line in DraftedFiles(plan: plan).draft(to: version, number: 1)?.text.split(separator: "\n") ?? [] {
                #expect(line.count <= 100 && line.last != " ", "‘\(line)’")
            }
        }
    }

    /// 0.0.7 to 0.0.8 splits a text by a conversion that only Swift knows.
    @Test func aDraftThatIsNotWrittenToItsEndIsRefusedAndSaysWhatToWrite() throws {
        let (name, text) = try #require(DraftedFiles(plan: try Self.plan("fitiq")).draft(to: 7, number: 7))
        let error = #expect(throws: MigrationError.self) {
            try MigrationFile(line: "fitiq", fileName: name, bytes: Array(text.utf8))
        }
        #expect("\(try #require(error))".contains("the step has no statement"))
        #expect(text.contains("-- quantity → quantity, unit by QuantityText"))
        #expect(text.contains("fitiq.sd_meal_log_item_quantity_v8"))
    }

    /// A column that holds another form from now on, of the same type or as JSON, is nothing that a cast makes.
    @Test func aConversionInItsColumnIsAFunctionToWrite() throws {
        let (_, text) = try #require(DraftedFiles(plan: try Plan(StreetsPlan.self)).draft(to: 1, number: 2))
        for line in [
            "-- name → label by Shouted", "-- CREATE FUNCTION streets.street_name(", "-- tag → tags by OneTag",
            "-- CREATE FUNCTION streets.street_tag(", "--     tag text) RETURNS json",
            "    ALTER COLUMN name TYPE text", "        USING streets.street_name(name),",
            "    ALTER COLUMN tag TYPE json", "        USING streets.street_tag(tag);",
            "DROP FUNCTION streets.street_name(text);",
        ] { #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)\n\(text)") }
    }

    /// Several versions in one file, the last of which converts what the one before it brought.
    @Test func aDraftOverSeveralVersionsFillsInTheirOrder() async throws {
        let plan = try Plan(PantryPlan.self)
        let first = try DraftedFiles(plan: plan).line(upTo: 0)
        let draft = MigrationDraft(plan, from: 0, to: plan.newest, number: 2)
        let text = DraftedFiles.written((["-- sync: silent"] + draft.blocks).joined(separator: "\n\n"))
        let file = try MigrationFile(
            line: plan.app, fileName: "0002-\(try #require(draft.name)).sql", bytes: Array(text.utf8))
        let whole = try MigrationLine(name: plan.app, files: first.files + [file])
        #expect(try MigrationLinter(plans: [plan]).findings(in: whole).isEmpty)
        try await withTestDatabase { database in
            let server = try DraftedFiles.serverLine()
            try await Migrator(database.connectionString, lines: [server, first]).up()
            let session = try await Session.open(database.superuserConnectionString)
            try await DraftTrial.write(plan.cut(after: 0).hub, session)
            let migrator = Migrator(database.connectionString, lines: [server, whole])
            try await migrator.up()
            try await DraftTrial.write(plan.cut(after: 0).hub, session)
            try await migrator.up(contracts: .run)
            let differences = try await session.transaction { session in
                try Agreement.differences(of: plan.hub, session)
            }
            #expect(differences.isEmpty, "\(differences)")
            await session.close()
        }
    }

    // MARK: Values

    /// Brings a database of the drafts up to `version` with `rows` in it to the next version, runs `later` before the
    /// contract, and reads.
    private static func migrating<Value: Sendable>(
        _ app: String, from version: Int, inserting rows: Statement, later: [Statement] = [],
        altering: @escaping @Sendable (String) -> String = { $0 },
        then read: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        let files = DraftedFiles(plan: try plan(app)) { altering($1) }
        let server = try DraftedFiles.serverLine()
        let (older, newer) = (try files.line(upTo: version), try files.line(upTo: version + 1))
        return try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: [server, older]).up()
            // Rows of any space: a superuser is not subject to row-level security.
            let session = try await Session.open(database.superuserConnectionString)
            try await session.transaction { session in _ = try session.execute(Command(rows)) }
            try await Migrator(database.connectionString, lines: [server, newer]).up()
            for statement in later {
                try await session.transaction { session in _ = try session.execute(Command(statement)) }
            }
            try await Migrator(database.connectionString, lines: [server, newer]).up(contracts: .run)
            let value = try await session.transaction { session in try read(session) }
            await session.close()
            return value
        }
    }

    @Test func whatFollowsFromTheRecordIsFilledInForAllSpaces() async throws {
        let dates = try await Self.migrating(
            "easitopen", from: 1,
            inserting: """
                INSERT INTO easitopen.business
                    (space_id, id, seq, alive, stamp, born, died, name, address, latitude, longitude, date_added)
                SELECT gen_random_uuid(), gen_random_uuid(), 1, true, 7000 << 11, born << 11, 0, '', '', 0, 0, now()
                FROM unnest(ARRAY[5000, 0]::bigint[]) AS given (born)
                """
        ) { session in
            let rows = try session.execute(Command("SELECT last_updated FROM easitopen.business ORDER BY 1"))
            return (0..<rows.count).map { rows.timestamp($0, 0) }
        }
        #expect(dates == [5_000_000, 7_000_000].map(Timestamp.init(microseconds:)))
    }

    @Test func doublesBecomeDecimalsToTheirLastDigit() async throws {
        let prices = try await Self.migrating(
            "allesteurer", from: 0,
            inserting: """
                INSERT INTO allesteurer.purchase_v1
                    (space_id, id, seq, alive, stamp, born, died, shop_name, date, total_price, quantity,
                        actual_product_name, unit)
                VALUES (gen_random_uuid(), gen_random_uuid(), 1, true, 1, 1, 0, '', now(), 0.1::float8 + 0.2, 2.99,
                    '', '')
                """
        ) { session in
            let rows = try session.execute(
                Command("SELECT total_price::text, quantity::text FROM allesteurer.purchase_v1"))
            return [rows.string(0, 0), rows.string(0, 1)]
        }
        #expect(prices == ["0.30000000000000004", "2.99"])
    }

    @Test func whatIsConvertedInItsColumnIsWhatItsFunctionMakes() async throws {
        let streets = try await Self.migrating(
            "streets", from: 0,
            inserting: """
                INSERT INTO streets.street (space_id, id, seq, alive, stamp, born, died, name, tag)
                VALUES (gen_random_uuid(), gen_random_uuid(), 1, true, 1, 1, 0, 'Rua', 'a "b"')
                """,
            altering: { text in
                text.replacing("SELECT CAST('2 cups' AS text)", with: "SELECT name || '!'")
                    .replacing("SELECT CAST('[]' AS json)", with: "SELECT ('[' || to_json(tag)::text || ']')::json")
            }
        ) { session in
            let rows = try session.execute(Command("SELECT name, tag::text FROM streets.street"))
            return [rows.string(0, 0), rows.string(0, 1)]
        }
        #expect(streets == ["Rua!", #"["a \"b\""]"#])
    }

    /// A server of the release before, which knows six files, changes a text; what one of this release writes stays.
    @Test func aTriggerFillsWhatTheReleaseBeforeWritesAndNothingElse() async throws {
        let items = try await Self.migrating(
            "fitiq", from: 6,
            inserting: """
                INSERT INTO fitiq.sd_meal_log_item
                    (space_id, id, seq, alive, stamp, born, died, name, quantity, calories, protein, carbs, fat,
                        order_index, created_at)
                SELECT gen_random_uuid(), gen_random_uuid(), 1, true, 1, 1, 0, name, '2 cups', 0, 0, 0, 0, 0, now()
                FROM unnest(ARRAY['old', 'new', 'same']) AS name
                """,
            later: [
                """
                WITH level AS MATERIALIZED (SELECT set_config('sync.level_fitiq', '6', true) AS text)
                UPDATE fitiq.sd_meal_log_item SET quantity = '10 cups' FROM level
                WHERE name = 'old' AND level.text <> ''
                """,
                """
                WITH level AS MATERIALIZED (SELECT set_config('sync.level_fitiq', '7', true) AS text)
                UPDATE fitiq.sd_meal_log_item SET quantity = '5 spoons', unit = 'spoons' FROM level
                WHERE name = 'new' AND level.text <> ''
                """,
            ],
            altering: { text in
                text.replacing(
                    "SELECT CAST('7' AS double precision), CAST('2 cups' AS text)",
                    with: "SELECT length(quantity)::double precision, 'made'")
            }
        ) { session in
            let rows = try session.execute(
                Command("SELECT concat_ws(' ', name, quantity_v8, unit) FROM fitiq.sd_meal_log_item ORDER BY name"))
            return (0..<rows.count).map { rows.string($0, 0) }
        }
        #expect(items == ["new 6 spoons", "old 7 made", "same 6 made"])
    }
}
