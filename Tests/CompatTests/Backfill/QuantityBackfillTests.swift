import PGMigrations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import DemoApps

/// Quantities that were read before `fitiq/0012-read-more-quantities.sql`, as this migration reads them anew, compared
/// with `QuantityText`.
@Suite(.ownThread) struct QuantityBackfillTests {
    private typealias Reading = (number: Double, unit: String)

    // MARK: Reading

    @Test("M22: the SQL reads each text as the Swift does")
    func theSQLReadsEachTextAsTheSwiftDoes() async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let texts = QuantityText().examples + Self.generated(40_000, seed: seed) + Self.ofEveryScalar
        #expect(texts.count > 160_000)
        let found = try await Self.differences(texts)
        #expect(found.isEmpty, "\(found.count) differences, seed \(seed)\n\(found.prefix(12).joined(separator: "\n"))")
    }

    @Test(arguments: [
        ("1632, 1776", "1642, 1776"), ("⅔⅕", "⅕⅔"), ("'///..,'", "'.//..,'"), ("{0,2}[.,][0-9]{3}", "{0,2}[,][0-9]{3}"),
        (#"xXeE\u0425"#, #"xXE\u0425"#), (#"\u2000-\u20FF"#, #"\u2010-\u20FF"#), (#"\u2150-\u215F\u2189'"#, "'"),
        (#"\000A\000D"#, #"\000D"#), ("coalesce(part[6]::double precision, 0)", "0"),
    ])
    func aPlantedDifferenceIsFound(text: String, replacement: String) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let texts = QuantityText().examples + Self.generated(5_000, seed: seed)
        let found = try await Self.differences(texts) { sql in
            #expect(sql.contains(text))
            return sql.replacing(text, with: replacement)
        }
        #expect(!found.isEmpty, "seed \(seed)")
    }

    /// Returns the differences of the functions that the migration uses until its contract.
    private static func differences(
        _ texts: [String], altering alter: (String) -> String = { $0 }
    ) async throws -> [String] {
        let lines = try altered(alter)
        return try await withTestDatabase(migrated: lines.cut("fitiq", after: 11)) { database in
            try await Migrator(database.connectionString, lines: lines).up()
            let session = try await Session.open(database.superuserConnectionString)
            var found: [String] = []
            for first in stride(from: 0, to: texts.count, by: textsPerStatement) {
                let some = Array(texts[first..<min(first + textsPerStatement, texts.count)])
                let rows = try await session.execute(reading(some))
                guard rows.count == some.count else { return ["\(rows.count) of \(some.count)"] }
                found += some.enumerated().compactMap { index, text in
                    let (number, unit) = (rows.string(index, 0), rows.string(index, 1))
                    let right = QuantityText().up(text)
                    let isSame = Double(number) == right.0 && unit.utf8.elementsEqual(right.1.utf8)
                    return isSame ? nil : "\(text.debugDescription) \((number, unit)) \(right)"
                }
            }
            await session.close()
            return found
        }
    }

    /// The number of texts in a statement; a single statement with all texts would exceed the time limit on a busy
    /// machine.
    private static let textsPerStatement = 10_000

    private static func reading(_ texts: [String]) -> Command {
        Command(
            """
            SELECT read.number::text, read.unit
            FROM unnest($1::text[]) WITH ORDINALITY AS given (text, place), fitiq.read_quantity(given.text) AS read
            ORDER BY place
            """, [.texts(texts)])
    }

    private static func altered(_ alter: (String) -> String) throws -> [MigrationLine] {
        try Repository.migrations(of: "fitiq").map { line in
            guard line.name == "fitiq" else { return line }
            return try MigrationLine(
                name: line.name,
                files: line.files.map { file in
                    guard file.id.number == 12, let name = file.path.split(separator: "/").last else { return file }
                    return try MigrationFile(
                        line: line.name, fileName: String(name), bytes: Array(alter(file.sql).utf8))
                })
        }
    }

    // MARK: Rows

    /// An item that exists before the migration.
    struct Item: Sendable, CustomTestStringConvertible {
        let text: String
        let number: Double
        let unit: String
        /// The number of migrations that the latest server knew which wrote into the space; `nil` if none has stated
        /// it.
        var level: Int? = 11
        var isAlive = true
        /// The expected values after the migration; `nil` if it changes nothing, and devices receive nothing.
        var now: Now?

        struct Now: Sendable {
            let number: Double
            let unit: String
        }

        var testDescription: String { "\(text.debugDescription), \(number) \(unit.debugDescription)" }
    }

    private static let nothing = Item.Now(number: 0, unit: "")

    static let items = [
        // Quantities that were not read.
        Item(text: "½ cup", number: 0, unit: "", now: .init(number: 0.5, unit: "cup")),
        Item(text: "1½ cups", number: 0, unit: "", now: .init(number: 1.5, unit: "cups")),
        Item(text: "1⁄2", number: 0, unit: "", now: .init(number: 0.5, unit: "")),
        Item(text: "٣ cups", number: 0, unit: "", now: .init(number: 3, unit: "cups")),
        Item(text: "１２ g", number: 0, unit: "", now: .init(number: 12, unit: "g")),
        // Quantities that were read as wrong numbers.
        Item(text: "1'500 g", number: 1, unit: "'500 g", now: nothing),
        Item(text: "1_000 g", number: 1, unit: "_000 g", now: nothing),
        Item(text: "1.500 g", number: 1.5, unit: "g", now: nothing),
        Item(text: "2x100g", number: 2, unit: "x100g", now: nothing),
        Item(text: "2x100g", number: 2, unit: "x100g", level: nil, now: nothing),
        // Quantities that are read as before.
        Item(text: "1,500 g", number: 0, unit: ""), Item(text: "500 mL", number: 500, unit: "mL"),
        Item(text: "1 1/2 cups", number: 1.5, unit: "cups"), Item(text: "a handful", number: 0, unit: ""),
        // Values that a newer version may have written, which can be known only if there was no value before.
        Item(text: "1 '500 g", number: 1, unit: "'500 g"), Item(text: "2 x 100g", number: 2, unit: "x 100g"),
        Item(text: "1.125 cups", number: 1.125, unit: "cups"), Item(text: "0.00001 x 5", number: 1e-5, unit: "x 5"),
        Item(text: "1.1250 x 5", number: 1.125, unit: "x 5"), Item(text: "1.125", number: 1.125, unit: ""),
        Item(text: "2 x 100g", number: 2, unit: "x 100g", level: nil),
        Item(text: "2 x 100g", number: 2, unit: "x 100g", level: 7),
        Item(text: "2 x 100g", number: 2, unit: "x 100g", level: 6, now: nothing),
        Item(text: "1.125 cups", number: 1.125, unit: "cups", level: 6, now: nothing),
        // A number that the text does not contain, and the number of a deleted record, which devices do not receive.
        Item(text: "½ cup", number: 3, unit: "spoons"), Item(text: "1'500 g", number: 1500, unit: "g"),
        Item(text: "½ cup", number: 0, unit: "", isAlive: false, now: .init(number: 0.5, unit: "cup")),
    ]

    @Test("M22: incomplete and wrong readings are corrected, but not values that were edited since", arguments: items)
    func whatWasReadLessOrWrongIsReadAnewButNotWhatWasEditedSince(item: Item) async throws {
        let lines = try Repository.migrations(of: "fitiq")
        try await withTestDatabase(migrated: lines.cut("fitiq", after: 11)) { database in
            let session = try await Session.open(database.superuserConnectionString)
            try await Self.insert([item.text], level: item.level, session)
            try await session.execute(
                Command(
                    "UPDATE fitiq.sd_meal_log_item SET quantity_v8 = $1, unit = $2, alive = $3",
                    [.double(item.number), .text(item.unit), .bool(item.isAlive)]))
            try await Migrator(database.connectionString, lines: lines).up(contracts: .run)
            let rows = try await session.execute(
                "SELECT quantity_v8::text, unit, quantity, seq, head FROM fitiq.sd_meal_log_item, sync.space")
            let isSent = item.now != nil && item.isAlive
            #expect(Double(rows.string(0, 0)) == item.now?.number ?? item.number)
            #expect(rows.string(0, 1) == item.now?.unit ?? item.unit && rows.string(0, 2) == item.text)
            #expect(rows.int(0, 3) == (isSent ? 2 : 1) && rows.int(0, 4) == (isSent ? 2 : 1))
            await session.close()
        }
    }

    /// Any text, in spaces into which no server wrote numbers, and in spaces into which one did.
    @Test("M22: quantities after all migrations are those of the lens")
    func quantitiesThatAllMigrationsSawAreThoseOfTheLens() async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        let texts = QuantityText().examples + Self.generated(3_000, seed: seed)
        let lines = try Repository.migrations(of: "fitiq")
        for level in [6, 11] {
            let (before, after) = try await withTestDatabase(migrated: lines.cut("fitiq", after: 6)) { database in
                let session = try await Session.open(database.superuserConnectionString)
                try await Self.insert(texts, level: level, session)
                let earlier = try lines.cut("fitiq", after: 11)
                try await Migrator(database.connectionString, lines: earlier).up(contracts: .run)
                let before = try await Self.readings(session)
                try await Migrator(database.connectionString, lines: lines).up(contracts: .run)
                let after = try await Self.readings(session)
                await session.close()
                return (before, after)
            }
            try #require(before.count == texts.count && after.count == texts.count)
            for (index, text) in texts.enumerated() {
                let (old, found) = (before[index], after[index])
                var right: Reading = QuantityText().up(text)
                if level > 6, Self.mayBeWritten(text, old) { right = old }
                #expect(
                    found.number == right.number && found.unit.utf8.elementsEqual(right.unit.utf8),
                    "seed \(seed), level \(level): \(text.debugDescription) \(old) \(found) \(right)")
            }
        }
    }

    /// True if a newer version may write this number and unit, now or in the previous release.
    private static func mayBeWritten(_ text: String, _ reading: Reading) -> Bool {
        let digits = DecimalText("\(reading.number)")?.text ?? ""
        let earlier = reading.unit.isEmpty ? digits : "\(digits) \(reading.unit)"
        return [earlier, QuantityText().down((reading.number, reading.unit))].contains {
            $0.utf8.elementsEqual(text.utf8)
        }
    }

    /// Until the contract, servers of the previous release write numbers that they read.
    @Test func whatServersOfBeforeWriteIsReadAnewToo() async throws {
        let lines = try Repository.migrations(of: "fitiq")
        try await withTestDatabase(migrated: lines.cut("fitiq", after: 11)) { database in
            try await Migrator(database.connectionString, lines: lines).up()
            let session = try await Session.open(database.superuserConnectionString)
            func write(_ text: String, _ number: Double, _ unit: String, level: Int) async throws -> [String] {
                try await session.execute(
                    Command("SELECT set_config('sync.level_fitiq', $1, false)", [.text("\(level)")]))
                try await Self.insert([text, "1 cup"], level: level, session, (number, unit))
                // Items that exist already, and change.
                try await session.execute(
                    Command(
                        """
                        UPDATE fitiq.sd_meal_log_item SET quantity = $1, quantity_v8 = $2, unit = $3
                        WHERE quantity = '1 cup'
                        """, [.text(text), .double(number), .text(unit)]))
                let rows = try await session.execute(
                    "SELECT concat_ws('|', quantity_v8, unit) FROM fitiq.sd_meal_log_item ORDER BY order_index")
                try await session.execute("DELETE FROM fitiq.sd_meal_log_item")
                return (0..<rows.count).map { rows.string($0, 0) }
            }
            #expect(try await write("½ cup", 0, "", level: 11) == ["0.5|cup", "0.5|cup"])
            #expect(try await write("1'500 g", 1, "'500 g", level: 11) == ["0|", "0|"])
            #expect(try await write("2 x 100g", 2, "x 100g", level: 11) == ["2|x 100g", "2|x 100g"])
            #expect(try await write("2 x 100g", 2, "x 100g", level: 6) == ["0|", "0|"])
            #expect(try await write("3 g", 3, "g", level: 11) == ["3|g", "3|g"])
            // Numbers of a server of this release are correct.
            #expect(try await write("½ cup", 0, "", level: 12) == ["0|", "0|"])
            await session.close()
        }
    }

    /// - Parameter reading: the number and unit that the server read, if there are columns for them.
    private static func insert(
        _ texts: [String], level: Int?, _ session: Session, _ reading: Reading? = nil
    ) async throws {
        let columns = reading == nil ? "" : ", quantity_v8, unit"
        let values = reading == nil ? "" : ", $2, $3"
        let parameters: [Parameter] = reading.map { [.double($0.number), .text($0.unit)] } ?? []
        let space = try await session.execute(
            Command(
                """
                INSERT INTO sync.space (space_id, app, record_size, head, level)
                VALUES (gen_random_uuid(), 'fitiq', 0, $1, $2::integer) RETURNING space_id
                """, [.int(Int64(texts.count)), .int(level.map { Int64($0) })])
        ).id(0, 0)
        let hasUnit = try await session.execute(
            "SELECT count(*) FROM pg_attribute WHERE attrelid = 'fitiq.sd_meal_log_item'::regclass AND attname = 'unit'"
        )
        let needsUnit = reading == nil && hasUnit.int(0, 0) > 0
        try await session.execute(
            Command(
                Statement(
                    unchecked: """
                        INSERT INTO fitiq.sd_meal_log_item
                            (space_id, id, seq, alive, stamp, born, died, name, quantity, calories, protein, carbs, fat,
                                order_index, created_at\(needsUnit ? ", quantity_v8, unit" : columns))
                        SELECT '\(space)', gen_random_uuid(), place, true, 1, 1, 0, '', given.text, 0, 0, 0, 0, place,
                            now()\(needsUnit ? ", 0, ''" : values)
                        FROM unnest($1::text[]) WITH ORDINALITY AS given (text, place)
                        """), [.texts(texts)] + parameters))
    }

    private static func readings(_ session: Session) async throws -> [Reading] {
        let rows = try await session.execute(
            "SELECT quantity_v8::text, unit FROM fitiq.sd_meal_log_item ORDER BY order_index")
        return (0..<rows.count).map { (Double(rows.string($0, 0)) ?? .nan, rows.string($0, 1)) }
    }

    // MARK: Texts

    /// Returns digits of all kinds, fractions, marks, separators and units in random order, and amounts as people write
    /// them.
    private static func generated(_ count: Int, seed: UInt64) -> [String] {
        let digits = ["0", "1", "2", "12", "125", "1500", "0125", "123456789", "٣", "१", "５", "𝟙", "༣", "٠٫٥", "２０"]
        let marks = [
            ".", ",", "/", "⁄", "∕", "／", "．", "，", "٫", "٬", "،", "·", "・", "'", "’", "_", "`", "-", "−", "–", "+",
            "~",
            ":", ";", "&", "#", "%", "°", "±", "²", "¹", "₂", "〇", "^", "*", "×", "✖️", "\"", "(", ")", "[", "\\",
        ]
        let spaces = [
            " ", "  ", "\u{A0}", "\u{3000}", "\u{2003}", "\u{2009}", "\u{202F}", "\u{200F}", "\t", "\n", "\r",
        ]
        let fractions = ["½", "⅔", "⅒", "↉", "⅟", "1/2", "3⁄4", "1/0", "2/03"]
        let units = [
            "x", "X", "х", "ｘ", "e", "E", "g", "kg", "cups", "é", "e\u{301}", "🍎", "कप", "ｇ", "x g", "mL", "fl oz",
            "(30 ml)",
            "XL", "µg", "A b",
        ]
        let all = digits + digits + marks + spaces + fractions + units
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in
            let pieces: [[String]]
            switch random.next() % 4 {
            case 0: pieces = [digits, [".", ",", ""], digits + [""], spaces + [""], units + [""]]
            case 1: pieces = [digits + [""], spaces + [""], fractions, spaces + [""], units + [""]]
            case 2: pieces = [digits, spaces + [""], marks + units, spaces + [""], digits, spaces, units]
            default: pieces = Array(repeating: all, count: Int.random(in: 0...7, using: &random))
            }
            return pieces.map { $0.randomElement(using: &random) ?? "" }.joined()
        }
    }

    /// Every character of one UTF-16 unit, and some beyond: between two numbers, before one and after one.
    private static let ofEveryScalar: [String] = (UInt32(1)...0x1FFFF).compactMap(Unicode.Scalar.init)
        .enumerated().filter { $1.value < 0x10000 || QuantityScanner.digit($1) != nil || $0 % 64 == 0 }
        .flatMap { index, scalar in
            ["1\(scalar)2 g", ["1 \(scalar)½", "\(scalar) g", "1x\(scalar)3", "5\(scalar)"][index % 4]]
        }
}
