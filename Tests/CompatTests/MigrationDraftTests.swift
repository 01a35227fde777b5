import Apps
import PGStore
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncServer

/// What `schema sql` drafts, run on a real database, beside the files that were written by hand.
@Suite struct MigrationDraftTests {
    private static func plan(_ app: String) throws -> Plan {
        try Plan(try #require(Apps.all.first { $0.app == app }))
    }

    /// The drafts from nothing to the first version and then for each step up to `last`, as a line of migrations.
    private static func line(_ plan: Plan, upTo last: Int) throws -> MigrationLine {
        var files: [MigrationFile] = []
        for version in 0...last {
            let draft = MigrationDraft(plan, from: version == 0 ? nil : version - 1, to: version)
            guard let name = draft.name else {
                #expect(draft.blocks.isEmpty)
                continue
            }
            let number = "\(10_001 + files.count)".dropFirst()
            let text = SchemaCommand.text(
                draft, of: plan.schemas[version].version, file: "\(number)-\(name).sql", "A B --app \(plan.app)")
            for line in text.split(separator: "\n") {
                #expect(line.count <= 100 && line.last != " ", "‘\(line)’")
            }
            files.append(try MigrationFile(line: plan.app, fileName: "\(number)-\(name).sql", bytes: Array(text.utf8)))
        }
        return try MigrationLine(name: plan.app, files: files)
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

    @Test(arguments: Apps.all.map { $0.app })
    func theDraftsMakeTheTablesThatTheHandWrittenFilesMake(_ app: String) async throws {
        let plan = try Self.plan(app)
        let byHand = try CompatTests.lines(app)
        let serverLine = try #require(byHand.first { $0.name == MigrationLine.serverLineName })
        let drafted = [serverLine, try Self.line(plan, upTo: plan.newest)]
        let shape = try await Self.shape(app, of: drafted, agreesWith: plan)
        #expect(shape == (try await Self.shape(app, of: byHand, agreesWith: plan)))
        #expect(!shape.isEmpty)
    }

    @Test(arguments: Apps.all.map { $0.app })
    func oneDraftFromNothingMakesThemToo(_ app: String) async throws {
        let plan = try Self.plan(app)
        let draft = MigrationDraft(plan, from: nil, to: plan.newest)
        let name = try #require(draft.name)
        let file = try MigrationFile(
            line: app, fileName: "0001-\(name).sql",
            bytes: Array((["-- sync: silent"] + draft.blocks).joined(separator: "\n\n").utf8))
        let serverLine = try #require(try CompatTests.lines(app).first { $0.name == MigrationLine.serverLineName })
        let lines = [serverLine, try MigrationLine(name: app, files: [file])]
        _ = try await Self.shape(app, of: lines, agreesWith: plan)
    }

    /// Brings a database of the drafts up to `version` with `rows` in it to the next version, and reads from it.
    private static func migrating<Value: Sendable>(
        _ app: String, from version: Int, inserting rows: Statement,
        then read: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value {
        let plan = try plan(app)
        let serverLine = try #require(try CompatTests.lines(app).first { $0.name == MigrationLine.serverLineName })
        let older = try line(plan, upTo: version)
        let newer = try line(plan, upTo: version + 1)
        return try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: [serverLine, older]).up()
            // Rows of any space: a superuser is not subject to row-level security.
            let session = try await Session.open(database.superuserConnectionString)
            try await session.transaction { session in _ = try session.execute(Command(rows)) }
            try await Migrator(database.connectionString, lines: [serverLine, newer]).up()
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

    /// 0.0.7 to 0.0.8 splits a text by a conversion that only Swift knows.
    @Test func aDraftWithoutItsBackfillRefusesRecordsAndSaysWhatToWrite() async throws {
        let error = await #expect(throws: MigrationError.self) {
            try await Self.migrating(
                "fitiq", from: 6,
                inserting: """
                    INSERT INTO fitiq.sd_meal_log_item
                        (space_id, id, seq, alive, stamp, born, died, name, quantity, calories, protein, carbs, fat,
                            order_index, created_at)
                    VALUES (gen_random_uuid(), gen_random_uuid(), 1, true, 1, 1, 0, '', '2 cups', 0, 0, 0, 0, 0, now())
                    """
            ) { _ in }
        }
        let text = error.map { "\($0) \(String(reflecting: $0))" } ?? ""
        #expect(text.contains("fitiq.sd_meal_log_item: quantity_v8, unit"), "\(text)")
    }
}
