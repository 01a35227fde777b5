import SyncTestSupport
import Testing

@testable import PGMigrations

@Suite struct MigrationLineTests {
    @Test func linesAreReadInOrderTheServersOwnFirst() throws {
        let directory = try TemporaryDirectory()
        try directory.write("SELECT 1;".utf8, to: "alpha/0001-create-meal.sql")
        try directory.write("SELECT 2;".utf8, to: "sync/0002-create-device.sql")
        try directory.write("SELECT 1;".utf8, to: "sync/0001-create-space.sql")
        try directory.write("words".utf8, to: "sync/README.md")
        let lines = try MigrationLine.readAll(directory: directory.path)
        #expect(lines.map(\.name) == ["sync", "alpha"])
        #expect(
            lines.flatMap(\.files).map(\.path) == [
                "sync/0001-create-space.sql", "sync/0002-create-device.sql", "alpha/0001-create-meal.sql",
            ])
        #expect(lines[0].files[1].sql == "SELECT 2;")
    }

    @Test(arguments: [
        "1-create-space.sql", "0001_create_space.sql", "0001-create.sql", "0001-Create-Space.sql",
        "0001-create-space.SQL",
        "0000-create-space.sql", "0001-create-space.sql.orig", "00001-create-space.sql", "0001-create--space.sql",
    ]) func aBadNameIsRefused(name: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write("".utf8, to: "sync/\(name)")
        let error = try #require(
            #expect(throws: MigrationError.self) { try MigrationLine.read(directory: "\(directory.path)/sync") })
        guard case .badName = error else { Issue.record("\(error)"); return }
        #expect(error.description.contains(name))
    }

    @Test("M1: a line has no gap and no number twice")
    func gapsAndDuplicatesAreRefused() throws {
        let one = try MigrationFile(line: "sync", fileName: "0001-create-a.sql", bytes: [])
        let other = try MigrationFile(line: "sync", fileName: "0001-create-b.sql", bytes: [])
        let three = try MigrationFile(line: "sync", fileName: "0003-create-c.sql", bytes: [])
        let duplicate = #expect(throws: MigrationError.self) { try MigrationLine(name: "sync", files: [other, one]) }
        #expect(duplicate?.description.hasPrefix("sync/0001-create-a.sql and sync/0001-create-b.sql") == true)
        let gap = #expect(throws: MigrationError.self) { try MigrationLine(name: "sync", files: [three, one]) }
        #expect(gap?.description.contains("expected 2") == true)
        let late = #expect(throws: MigrationError.self) { try MigrationLine(name: "sync", files: [three]) }
        #expect(late?.description.contains("expected 1") == true)
    }

    @Test func textThatIsNotUTF8IsRefused() throws {
        let error = #expect(throws: MigrationError.self) {
            try MigrationFile(line: "sync", fileName: "0001-create-a.sql", bytes: [0x61, 0xFF])
        }
        guard case .notUTF8 = error else { Issue.record("\(String(describing: error))"); return }
    }

    @Test func theLibraryHasTheServersFilesAsTheyAreInTheFolder() throws {
        let folder = try MigrationLine.read(directory: "\(Repository.migrationsDirectory)/sync")
        let library = try MigrationLine.ofLibrary()
        #expect(library.files == folder.files)
        #expect(library.isOfLibrary && !folder.isOfLibrary)
    }

    @Test("A folder without the server's line, or with an older copy of it, gets the library's", arguments: [0, 1, 16])
    func theServersLineComesWithTheLibrary(copied: Int) throws {
        let library = try MigrationLine.ofLibrary()
        let directory = try TemporaryDirectory()
        try directory.write("SELECT 1;".utf8, to: "alpha/0001-create-meal.sql")
        try directory.write("SELECT 1;".utf8, to: "beta/0001-create-meal.sql")
        for file in library.files.prefix(copied) { try directory.write(file.sql.utf8, to: file.path) }
        let lines = try MigrationLine.readAll(directory: directory.path, apps: ["beta"])
        #expect(lines.map(\.name) == ["sync", "beta"])
        #expect(lines[0] == library)
    }

    @Test func aServersLineThatGoesOnOtherwiseIsKept() throws {
        let directory = try TemporaryDirectory()
        try directory.write("SELECT 1;".utf8, to: "sync/0001-create-space.sql")
        let lines = try MigrationLine.readAll(directory: directory.path, apps: [])
        #expect(lines.flatMap(\.files).map(\.sql) == ["SELECT 1;"])
        #expect(lines.map(\.isOfLibrary) == [false])
    }

    @Test func aDirectoryThatIsNotThereIsUnreadable() {
        let error = #expect(throws: MigrationError.self) { try MigrationLine.readAll(directory: "/nonexistent") }
        guard case .unreadable = error else { Issue.record("\(String(describing: error))"); return }
    }

    /// An editor, a checkout on Windows or an e-mail program does not change a migration's identity.
    @Test(
        "M2: a checksum ignores line ends and trailing blanks",
        arguments: ["SELECT\n1", "SELECT\r\n1\r\n", "\u{FEFF}SELECT\n1", "SELECT \t\n1\n\n \n", "SELECT\n1  "])
    func theChecksumOverlooksLineEndsAndTrailingBlanks(text: String) throws {
        #expect(try checksum(text) == checksum("SELECT\n1\n"))
    }

    @Test(arguments: ["SELECT 1", "SELECT\n\n1", " SELECT\n1", "Select\n1", ""]) func theChecksumSeesEverythingElse(
        text: String
    ) throws {
        #expect(try checksum(text) != checksum("SELECT\n1\n"))
    }

    /// Compares with the output of sha256sum(1).
    @Test func theChecksumIsSHA256() throws {
        #expect(try checksum("SELECT 1;") == "17db4fd369edb9244b9f91d9aeed145c3d04ad8ba6e95d06247f07a63527d11a")
    }

    private func checksum(_ text: String) throws -> String {
        try MigrationFile(line: "sync", fileName: "0001-create-a.sql", bytes: Array(text.utf8)).checksum
    }
}
