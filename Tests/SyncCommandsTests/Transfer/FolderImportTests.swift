import Foundation
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// `syncserver import` of a folder: the executable, its two kinds of report and its status.
@Suite struct FolderImportTests {
    /// Two files that can be read, of which one has a row that cannot; one that is none; and what is passed over.
    private static let files = [
        "c.json": #"[{"date":764579700,"units":1},{"date":764579701,"units":1}]"#,
        "a.json": #"[{"date":764579702,"units":1},{"date":"soon","units":1}]"#, "b.json": "[{",
        ".hidden.json": "[{", "folder/d.json": "[{",
    ]

    private static let lastChanged = Date(timeIntervalSince1970: 1_767_225_600)

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "import-\(ID.random())")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in FolderImportTests.files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: FolderImportTests.lastChanged], ofItemAtPath: file.path)
        }
        try await body(folder)
    }

    private func words(_ space: ID, _ folder: URL, _ flags: String...) -> [String] {
        ["import", "--app", "keeptrack", "--space", space.description, folder.path] + flags
    }

    @Test("S3_15: an import reports each file and row, leaves out what it cannot read, and may be repeated")
    func aFolderIsImportedFileByFileAndCanBeImportedAgain() async throws {
        try await withFolder { folder in
            try await withTestDatabase(migrated: Repository.migrations()) { database in
                let space = ID.random()
                func counts(_ words: [String]) async throws -> [[Int64?]] {
                    let run = try await CommandRun(words + ["--json"], database: database.connectionString)
                    #expect(run.status == 1 && run.errors.isEmpty, "\(run.errors)")
                    let report = try JSONValue(parsing: Array(run.output.utf8))
                    #expect(report["files"].elements.map { $0["file"] } == ["a.json", "b.json", "c.json"])
                    return report["files"].elements.map { file in [file["imported"].int, file["unchanged"].int] }
                }
                #expect(try await counts(words(space, folder)) == [[1, 0], [nil, nil], [2, 0]])
                #expect(try await counts(words(space, folder)) == [[0, 1], [nil, nil], [0, 2]])
                // Once it can be read, what was left out comes in, and nothing else changes.
                try Data(#"[{"date":764579703,"units":1}]"#.utf8).write(to: folder.appending(path: "b.json"))
                #expect(try await counts(words(space, folder)) == [[0, 1], [1, 0], [0, 2]])
            }
        }
    }

    @Test func aDryRunNeedsNoDatabaseAndSaysTheSame() async throws {
        try await withFolder { folder in
            let space = ID.random()
            let received = try await CommandRun(words(space, folder, "--dry-run"))
            #expect(received.status == 1)
            #expect(
                received.output == """
                    a.json (last changed 2026-01-01T00:00:00Z): 1 would be imported, 0 unchanged, \
                    0 overruled by later edits, 1 refused
                    c.json (last changed 2026-01-01T00:00:00Z): 2 would be imported, 0 unchanged, \
                    0 overruled by later edits, 0 refused

                    """)
            #expect(
                received.errors == """
                    a.json, row 2: ‘date’ is not a date.
                    b.json: The file is no export. The document ends too early, at byte 2.

                    """)
            let machine = try await CommandRun(words(space, folder, "--dry-run", "--json"))
            #expect(machine.status == 1 && machine.errors.isEmpty)
            let report = try JSONValue(parsing: Array(machine.output.utf8))
            #expect(report["app"] == "keeptrack" && report["space"] == .id(space) && report["dryRun"] == true)
            #expect(
                report["files"] == [
                    [
                        "file": "a.json", "written": "2026-01-01T00:00:00Z", "writtenSaidBy": "modification",
                        "imported": 1, "unchanged": 0, "overruled": 0,
                        "refused": [["row": 2, "reason": "‘date’ is not a date."]],
                    ],
                    ["file": "b.json", "error": "The file is no export. The document ends too early, at byte 2."],
                    [
                        "file": "c.json", "written": "2026-01-01T00:00:00Z", "writtenSaidBy": "modification",
                        "imported": 2, "unchanged": 0, "overruled": 0, "refused": [],
                    ],
                ])
        }
    }

    @Test func aPathWithNothingAtItIsSaid() async throws {
        try await withFolder { folder in
            let run = try await CommandRun(words(.random(), folder.appending(path: "nothing"), "--dry-run"))
            #expect(run.status == 1 && run.output.isEmpty)
            #expect(run.errors.contains("nothing cannot be read: "))
            #expect(try await CommandRun(["import", "--app", "keeptrack", "--space", "7", folder.path]).status == 2)
        }
    }

    /// The file itself, then whoever imports it, then the file system. A pipe has no time of its own.
    @Test func whenAFileWasWrittenIsSaidByItselfOrStatedOrIsWhenItWasLastChanged() async throws {
        try await withFolder { folder in
            try FileManager.default.removeItem(at: folder.appending(path: "b.json"))
            let backup = folder.appending(path: "backup.json")
            try Data(#"{"exportDate":"2025-11-03T20:10:00Z"}"#.utf8).write(to: backup)
            func times(_ words: String...) async throws -> [[JSONValue]] {
                let run = try await CommandRun(
                    ["import", "--app", "keeptrack", "--space", "\(ID.random())", "--dry-run", "--json"] + words)
                let files = try JSONValue(parsing: Array(run.output.utf8))["files"].elements
                return files.map { [$0["file"], $0["written"], $0["writtenSaidBy"]] }
            }
            let last: JSONValue = "2026-01-01T00:00:00Z"
            let said: [JSONValue] = ["backup.json", "2025-11-03T20:10:00Z", "file"]
            #expect(
                try await times(folder.path) == [
                    ["a.json", last, "modification"], said, ["c.json", last, "modification"],
                ])
            let stated: JSONValue = "2025-02-28T00:00:00Z"
            #expect(
                try await times(folder.path, "--written", "2025-02-28") == [
                    ["a.json", stated, "option"], said, ["c.json", stated, "option"],
                ])
            let bad = try await CommandRun(words(.random(), folder, "--written", "soon", "--dry-run"))
            #expect(bad.status == 2 && bad.errors.contains("2025-11-03T20:10:00Z"), "\(bad)")
        }
    }
}
