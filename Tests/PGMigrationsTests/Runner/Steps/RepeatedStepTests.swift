import PGMigrations
import SQLText
import SyncTestSupport
import SyncTesting
import Testing

/// Steps outside a transaction may be complete already when a run is interrupted: each must be harmless when it runs
/// twice.
@Suite struct RepeatedStepTests {
    /// Returns the file with each step outside a transaction repeated.
    private static func repeating(_ file: MigrationFile) throws -> MigrationFile {
        var lines = file.sql.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let ends = file.steps.dropFirst().map { $0.line - 1 } + [lines.count]
        for (step, end) in zip(file.steps, ends).reversed() where step.mode == .statements {
            lines.insert(contentsOf: step.statements.map { "\n\($0.text);" }, at: end)
        }
        let name = try #require(file.path.split(separator: "/").last)
        return try MigrationFile(
            line: file.id.line, fileName: String(name), bytes: Array(lines.joined(separator: "\n").utf8))
    }

    private static func up(_ lines: [MigrationLine]) async throws {
        try await withTestDatabase { database in
            _ = try await Migrator(database.connectionString, lines: lines).up(contracts: .run)
        }
    }

    @Test("M5: every published step outside a transaction can be run twice")
    func everyPublishedStepOutsideATransactionCanBeRunTwice() async throws {
        let lines = try Repository.migrations()
        let repeated = try lines.map { line in
            try MigrationLine(name: line.name, files: line.files.map(Self.repeating))
        }
        func statements(_ lines: [MigrationLine]) -> Int {
            lines.flatMap(\.files).flatMap(\.steps).filter { $0.mode == .statements }.map(\.statements.count).reduce(
                0, +)
        }
        #expect(statements(lines) > 0)
        #expect(statements(repeated) == 2 * statements(lines))
        try await Self.up(repeated)
    }

    @Test func aStepThatCannotBeRunTwiceIsFound() async throws {
        let text = """
            -- phase: expand
            CREATE SCHEMA shop;
            CREATE TABLE shop.item (id bigint);
            -- phase: expand
            -- migrate: transaction=none
            CREATE INDEX CONCURRENTLY item_id ON shop.item (id);
            """
        let file = try MigrationFile(line: "shop", fileName: "0001-create-items.sql", bytes: Array(text.utf8))
        try await Self.up([try MigrationLine(name: "shop", files: [file])])
        let error = await #expect(throws: MigrationError.self) {
            try await Self.up([try MigrationLine(name: "shop", files: [try Self.repeating(file)])])
        }
        #expect("\(try #require(error))".contains("shop/0001-create-items.sql"))
    }
}
