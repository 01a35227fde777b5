import PGStore
import SyncTestSupport
import Testing
import WireFormats

/// What migrations make of rows that are older than they are, beside what the lenses make of the same values.
@Suite struct BackfillTests {
    /// A database of `app`'s first `files` migrations with rows of its own, brought to the head.
    private static func migrating<Value>(
        _ app: String, after files: Int, inserting rows: @Sendable (isolated Session) throws -> Void,
        then read: @Sendable (isolated Session) throws -> Value
    ) async throws -> Value where Value: Sendable {
        try await withTestDatabase { database in
            let lines = try CompatTests.lines(app)
            let old = try lines.map { line in
                line.name == app ? try MigrationLine(name: app, files: Array(line.files.prefix(files))) : line
            }
            try await Migrator(database.connectionString, lines: old).up()
            // Rows of any space: a superuser is not subject to row-level security.
            let session = try await Session.open(database.superuserConnectionString)
            try await session.transaction { session in try rows(session) }
            try await Migrator(database.connectionString, lines: lines).up()
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
                    """, [column.parameter]))
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

    /// The migrator is the tables' owner, on whom row-level security is forced like on everyone.
    @Test("S5_05: businesses of all spaces were last updated when they were created, in SQL as in the lens")
    func businessesWereLastUpdatedWhenTheyWereCreated() async throws {
        let stamps: [(born: Int64, stamp: Int64)] = [
            (3_611_934_720_000_000, 3_611_934_730_000_007), (0, 3_611_934_730_000_007), (1, 1),
        ]
        let dates = try await BackfillTests.migrating("easitopen", after: 2) { session in
            for (born, stamp) in stamps {
                try session.execute(
                    Command(
                        """
                        INSERT INTO easitopen.business
                            (space_id, id, seq, alive, stamp, born, died, name, address, latitude, longitude,
                                date_added)
                        VALUES (gen_random_uuid(), gen_random_uuid(), 1, true, $1, $2, 0, '', '', 0, 0, now())
                        """, [.int(stamp), .int(born)]))
            }
        } then: { session in
            let rows = try session.execute(
                Command("SELECT last_updated FROM easitopen.business ORDER BY born DESC, stamp"))
            return (0..<rows.count).map { rows.timestamp($0, 0) }
        }
        let created = stamps.map { Stamp(rawValue: $0.born > 0 ? $0.born : $0.stamp)!.timestamp }
        #expect(dates == [created[0], created[2], created[1]])
    }

    private static func numbers(seed: UInt64) -> [Double] {
        var random = SplitMix64(seed: seed)
        let prices = (0..<2000).map { _ in Double(random.next() % 1_000_000) / 100 }
        let quotients = prices.map { $0 / Double(random.next() % 999 + 1) }
        let any = (0..<2000).map { _ in Double(bitPattern: random.next()) }.filter(\.isFinite)
        // Where Swift's shortest text may be halfway between two Doubles, and PostgreSQL's never is.
        let large = (0..<2000).map { _ in Double(random.next() >> 4) * 16 }
        return DoubleToDecimal().examples + [1e22, 1e23, -1e23, 1e23.nextUp, 19_728_864_050_648_672] + large + prices
            + quotients + any
    }
}
