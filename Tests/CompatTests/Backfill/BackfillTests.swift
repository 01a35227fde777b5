import DemoApps
import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Rows that migrations change, compared with the result of the lenses for the same change.
@Suite struct BackfillTests {
    /// The maximum number of printed differences; further ones would be similar.
    private static let linesPrintedMax = 12

    @Test(
        "M22: a migrated database reads like one that was created new",
        arguments: DemoApps.all.map { $0.app })
    func migratedDatabasesReadAsThoseAtTheHead(app: String) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let plan = try Plan(try #require(DemoApps.all.first { $0.app == app }))
        let lines = try Repository.migrations(of: app)
        let files = try await MigrationReach.files(plan, lines)
        for version in plan.schemas.indices {
            let trial = MigrationTrial(plan, at: version, lines: lines, files: files[version], seed: seed)
            let found = try await trial.differences()
            let text = found.prefix(BackfillTests.linesPrintedMax).joined(separator: "\n")
            #expect(found.isEmpty, "\(found.count) differences, seed \(seed)\n\(text)")
        }
    }

    /// Lends a database with `app`'s first `files` migrations and rows of its own, migrated to the newest version.
    private static func migrating<Value>(
        _ app: String, after files: Int, inserting rows: @Sendable (isolated Session) throws -> Void,
        then read: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value where Value: Sendable {
        try await withTestDatabase { database in
            let lines = try Repository.migrations(of: app)
            let old = try lines.cut(app, after: files)
            try await Migrator(database.connectionString, lines: old).up(contracts: .run)
            // Rows of any space, because row-level security does not apply to a superuser.
            let session = try await Session.open(database.superuserConnectionString)
            try await session.transaction { session in try rows(session) }
            try await Migrator(database.connectionString, lines: lines).up(contracts: .run)
            let value = try await session.transaction { session in try read(session) }
            await session.close()
            return value
        }
    }

    /// X4: PostgreSQL's plain cast would keep 15 digits.
    @Test("S4_01: prices become exact in SQL as in the lens")
    func pricesBecomeExactInSQLAsInTheLens() async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let numbers = BackfillTests.numbers(seed: seed)
        let exact = try await BackfillTests.migrating("allesteurer", after: 1) { session in
            var column = ArrayParameter(.float8)
            for number in numbers { column.append(double: number) }
            try session.execute(
                Command(
                    """
                    INSERT INTO allesteurer.purchase_v1
                        (space_id, id, seq, alive, stamp, born, died, shop_name, date, total_price, quantity,
                            actual_product_name, unit)
                    SELECT gen_random_uuid(), gen_random_uuid(), place, true, 1, 1, 0, '', now(), number, number, '', ''
                    FROM unnest($1::double precision[]) WITH ORDINALITY AS given (number, place)
                    """, [column.finished()]))
        } then: { session in
            let rows = try session.execute(
                Command("SELECT total_price::text, quantity::text FROM allesteurer.purchase_v1 ORDER BY seq"))
            return (0..<rows.count).map { [rows.string($0, 0), rows.string($0, 1)] }
        }
        #expect(exact.count == numbers.count)
        let conversion = DoubleToDecimal()
        for (number, texts) in zip(numbers, exact) {
            for text in texts { #expect(DecimalText(text) == conversion.up(number), "seed \(seed)") }
        }
    }

    /// A faulty backfill, and the difference that must be found.
    struct Fault: Sendable, CustomTestStringConvertible {
        let app: String
        /// The number of the file, and the text that is replaced in it.
        let file: Int
        let text: String
        let replacement: String
        /// The newest version without the backfill, as an index into the plan's `schemas`.
        let version: Int
        /// The entity of all differences, by its name in the next version, and the name in one of them.
        let entity: String
        let attribute: String
        /// The number of files at that version; all before this one if `nil`.
        var files: Int?

        var testDescription: String { "\(app)/\(file): \(text) → \(replacement)" }
    }

    static let faults = [
        // PostgreSQL's plain cast keeps 15 digits.
        Fault(
            app: "allesteurer", file: 2, text: "USING allesteurer.shortest(total_price)",
            replacement: "USING total_price::numeric", version: 0, entity: "Purchase",
            attribute: "totalPrice at 2.0.0"),
        Fault(
            app: "easitopen", file: 3, text: "WHEN born > 0 THEN born ELSE stamp", replacement: "WHEN true THEN stamp",
            version: 1, entity: "Business", attribute: "lastUpdated at 1.0.0"),
        Fault(
            app: "fitiq", file: 7, text: "coalesce(part[5], '')", replacement: "''", version: 6,
            entity: "SDMealLogItem", attribute: "unit at 0.0.8"),
        Fault(
            app: "fitiq", file: 12, text: "AND item.quantity COLLATE",
            replacement: "AND false AND item.quantity COLLATE",
            version: 6, entity: "SDMealLogItem", attribute: "quantity at 0.0.8", files: 6),
        // The file without its backfill.
        Fault(
            app: "fitiq", file: 9, text: "calories_v10 = item.calories,", replacement: "calories_v10 = 0,", version: 8,
            entity: "SDRecognizedFoodItem", attribute: "calories at 0.1.0"),
    ]

    @Test(arguments: faults)
    func aWrongBackfillIsNamedWithItsVersionsAndItsAttribute(fault: Fault) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let plan = try Plan(try #require(DemoApps.all.first { $0.app == fault.app }))
        let lines = try Repository.migrations(of: fault.app)
        let trial = MigrationTrial(
            plan, at: fault.version, lines: lines, files: fault.files ?? fault.file - 1,
            migrating: try lines.map { try BackfillTests.altered($0, fault) }, seed: seed)
        let found = try await trial.differences()
        let start = "\(fault.app), filled at \(plan.schemas[fault.version].version)"
        #expect(
            found.contains { $0.hasPrefix("\(start): \(fault.entity).\(fault.attribute)") }, "seed \(seed) \(found)")
        let entity = try #require(plan.projection(version: fault.version + 1, named: fault.entity)).entity
        let names = Set(plan.projections.compactMap { $0[entity]?.name })
        for line in found.filter({ $0.hasPrefix("\(start): ") && !$0.contains(": change ") }) {
            #expect(names.contains { line.hasPrefix("\(start): \($0).") }, "seed \(seed) \(line)")
        }
    }

    private static func altered(_ line: MigrationLine, _ fault: Fault) throws -> MigrationLine {
        guard line.name == fault.app else { return line }
        return try MigrationLine(
            name: line.name,
            files: line.files.map { file in
                guard file.id.number == fault.file else { return file }
                try #require(file.sql.contains(fault.text))
                let sql = file.sql.replacing(fault.text, with: fault.replacement)
                let name = try #require(file.path.split(separator: "/").last)
                return try MigrationFile(line: line.name, fileName: String(name), bytes: Array(sql.utf8))
            })
    }

    private static func numbers(seed: UInt64) -> [Double] {
        var random = SplitMix64(seed: seed)
        let prices = (0..<2000).map { _ in Double(random.next() % 1_000_000) / 100 }
        let quotients = prices.map { $0 / Double(random.next() % 999 + 1) }
        let any = (0..<2000).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
        // Numbers for which Swift's shortest text may be halfway between two Doubles; PostgreSQL's never is.
        let large = (0..<2000).map { _ in Double(random.next() >> 4) * 16 }
        return DoubleToDecimal().examples + [1e22, 1e23, -1e23, 1e23.nextUp, 19_728_864_050_648_672] + large + prices
            + quotients + any
    }
}
