import PGMigrations
import SQLText
import Testing

/// The directives of a migration file.
@Suite struct StepReaderTests {
    @Test func aFileWithoutPhasesIsOneStep() throws {
        let file = try file("-- sync: silent\n-- Says why.\nUPDATE app.t SET x = 1;\nSELECT 1;")
        let step = try #require(file.steps.first)
        #expect(file.steps.count == 1)
        #expect(step.phase == .expand && step.mode == .transaction && step.effect == .silent)
        #expect(step.statements.map(\.text) == ["UPDATE app.t SET x = 1", "SELECT 1"])
        let empty = try self.file("")
        #expect(empty.steps.first?.statements.isEmpty == true)
    }

    @Test func eachPhaseLineBeginsAStep() throws {
        let file = try file(
            """
            -- sync: republish(SDMeal, SDSnack)
            -- phase: expand
            SELECT '-- phase: contract';
            -- phase: backfill
            -- migrate: table=app.t batch=7
            UPDATE app.t SET x = 1;
            -- phase: backfill
            -- sync: silent
            -- migrate: transaction=none
            SELECT 2;
            -- phase: contract
            -- requires: census(<2.0.0)=0 for 30d
            SELECT 3;
            """)
        #expect(file.steps.map(\.phase) == [.expand, .backfill, .backfill, .contract])
        #expect(file.steps.map(\.number) == [1, 2, 3, 4])
        #expect(file.steps.map(\.line) == [2, 4, 7, 11])
        let table = try #require(TableName("app.t"))
        #expect(
            file.steps.map(\.mode) == [.transaction, .batches(table: table, size: 7), .statements, .transaction])
        #expect(file.steps[0].effect == .republish(entities: ["SDMeal", "SDSnack"]))
        #expect(file.steps[2].effect == .silent)
        #expect(file.steps[3].requirements == ["census(<2.0.0)=0 for 30d"])
        #expect(file.steps[1].statements.first?.line == 6)
    }

    @Test func earlierTextsAreAccepted() throws {
        let checksum = String(repeating: "a1", count: 32)
        #expect(try file("-- accepts: \(checksum)\nSELECT 1").accepted == [checksum])
    }

    @Test(arguments: [
        ("-- phase: later\nSELECT 1", 1, "there is no phase"),
        ("SELECT 1;\n-- phase: expand\nSELECT 2", 1, "before the first"),
        ("-- phase: contract\nSELECT 1;\n-- phase: expand\nSELECT 2", 3, "cannot come after"),
        ("-- phase: expand\n-- still to be written", 1, "no statement"),
        ("-- phase: expand\n-- phase: contract\nSELECT 1", 1, "no statement"),
        ("-- migrate: batch=10\nSELECT 1", 1, "names its table"),
        ("-- migrate: table=app.t batch=0\nSELECT 1", 1, "from 1 to"),
        ("-- migrate: fast\nSELECT 1", 1, "‘migrate’ takes"),
        ("-- sync: loud\nSELECT 1", 1, "‘sync’ takes"),
        ("-- requires: census(<2.0.0)=0 for 30d\nSELECT 1", 1, "only a contract"),
        ("-- accepts: abc\nSELECT 1", 1, "takes the SHA-256"),
    ])
    func whatCannotBeIsRefusedWithItsLine(sql: String, line: Int, words: String) throws {
        let error = try #require(#expect(throws: MigrationError.self) { try file(sql) })
        guard case .badDirective("app/0001-do-it.sql", line, let problem) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(problem.contains(words))
    }

    @Test func whatIsNoSQLIsRefusedWithItsLine() throws {
        let error = try #require(#expect(throws: MigrationError.self) { try file("SELECT 1;\n\nSELEC 2") })
        guard case .badSQL(_, line: 3, _) = error else { Issue.record("\(error)"); return }
    }

    private func file(_ sql: String) throws -> MigrationFile {
        try MigrationFile(line: "app", fileName: "0001-do-it.sql", bytes: Array(sql.utf8))
    }
}
