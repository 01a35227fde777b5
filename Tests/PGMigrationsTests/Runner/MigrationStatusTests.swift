import Testing
import WireFormats

@testable import PGMigrations

@Suite struct MigrationStatusTests {
    private let time = Timestamp(microseconds: 0)

    @Test("M13, M33: every state is reported")
    func everyStateIsReported() throws {
        let line = try line("sync", ["one", "two", "three", "four"])
        let ledger = [
            row(line.files[0]), row(line.files[2], checksum: "another"),
            LedgerRow(
                id: MigrationID(line: "sync", number: 7), name: "add-seven", checksum: "", appliedAt: time),
        ]
        let states = MigrationStatus.compare([line], with: Ledger(files: ledger))
        #expect(states.map(\.state) == [.applied(at: time), .outOfOrder, .changed, .outOfOrder, .future])
        #expect(states.last?.path == "sync/0007-add-seven.sql")
    }

    @Test func whatComesAfterTheLastAppliedIsPending() throws {
        let line = try line("sync", ["one", "two", "three"])
        let states = MigrationStatus.compare([line], with: Ledger(files: [row(line.files[0])]))
        #expect(states.map(\.state) == [.applied(at: time), .pending, .pending])
    }

    @Test func linesAreComparedEachByItself() throws {
        let sync = try line("sync", ["one", "two"])
        let app = try line("app", ["one", "two"])
        let states = MigrationStatus.compare(
            [sync, app], with: Ledger(files: [row(sync.files[0]), row(sync.files[1])]))
        #expect(states.map(\.state) == [.applied(at: time), .applied(at: time), .pending, .pending])
        let strange = MigrationStatus.compare([sync], with: Ledger(files: [row(app.files[0])]))
        #expect(strange.map(\.state) == [.pending, .pending, .missing])
    }

    private func line(_ name: String, _ words: [String]) throws -> MigrationLine {
        let files = try words.enumerated().map { index, word in
            try MigrationFile(
                line: name, fileName: "000\(index + 1)-add-\(word).sql", bytes: Array("SELECT '\(word)'".utf8))
        }
        return try MigrationLine(name: name, files: files)
    }

    private func row(_ file: MigrationFile, checksum: String? = nil) -> LedgerRow {
        LedgerRow(id: file.id, name: file.name, checksum: checksum ?? file.checksum, appliedAt: time)
    }
}
