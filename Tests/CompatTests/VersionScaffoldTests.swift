import DemoApps
import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncCommands

/// `schema new`, run on copies of the served apps' folders.
@Suite struct VersionScaffoldTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    struct Expectation: Sendable, CustomTestStringConvertible {
        let app: String
        let folder: String
        var stated: String?
        let version: Schema.Version
        let file: String
        let type: String

        var testDescription: String { "\(app) \(version)" }
    }

    static let expectations = [
        Expectation(
            app: "fitiq", folder: "FitIQ", version: Schema.Version(0, 1, 2), file: "SchemaV12.swift",
            type: "SchemaV12"),
        Expectation(
            app: "allesteurer", folder: "AllesTeurer", version: Schema.Version(4, 0, 0),
            file: "AllesTeurer+SchemaV4.swift", type: "SchemaV4"),
        Expectation(
            app: "keeptrack", folder: "KeepTrack", version: Schema.Version(3, 0, 0), file: "KeepTrack+SchemaV3.swift",
            type: "SchemaV3"),
        Expectation(
            app: "easitopen", folder: "EasitOpen", version: Schema.Version(3, 0, 0),
            file: "EasitOpen+SchemaV300.swift", type: "SchemaV300"),
        Expectation(
            app: "easitopen", folder: "EasitOpen", stated: "2.1.0", version: Schema.Version(2, 1, 0),
            file: "EasitOpen+SchemaV210.swift", type: "SchemaV210"),
    ]

    private static func withCopy(of folder: String, _ body: (URL) async throws -> Void) async throws {
        let copy = FileManager.default.temporaryDirectory.appending(path: "syncserver-\(UUID())")
        try FileManager.default.copyItem(at: root.appending(path: "Sources/DemoApps/\(folder)"), to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        try await body(copy)
    }

    private static func contents(of folder: URL) throws -> [String: String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, try String(contentsOf: folder.appending(path: name), encoding: .utf8))
            })
    }

    private static func lint(_ folder: URL) throws -> (status: Int32, output: String) {
        let lint = Process()
        lint.executableURL = URL(filePath: "/usr/bin/env")
        lint.arguments = [
            "swift", "format", "lint", "--strict", "--recursive", "--configuration",
            root.appending(path: ".swift-format").path, folder.path,
        ]
        let pipe = Pipe()
        lint.standardError = pipe
        try lint.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        lint.waitUntilExit()
        return (lint.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test("S2_03: a new version consists of its file and its stage", arguments: expectations)
    func aNextVersionHasTwoPlaces(_ expected: Expectation) async throws {
        try await Self.withCopy(of: expected.folder) { folder in
            let before = try Self.contents(of: folder)
            let words =
                ["syncserver", "schema", "new", "--app", expected.app, "--directory", folder.path]
                + (expected.stated.map { ["--version", $0] } ?? [])
            #expect(await SyncServerProgram.main(words) == 0)
            let after = try Self.contents(of: folder)

            // The first location: a file of its own.
            #expect(Set(after.keys).subtracting(before.keys) == [expected.file])
            let text = try #require(after[expected.file])
            #expect(text.contains("enum \(expected.type): VersionedSchema {"))
            let number = "\(expected.version.major), \(expected.version.minor), \(expected.version.patch)"
            #expect(text.contains("Schema.Version(\(number))"))

            // The second: the plan, which lists the version and has a stage to it. All else is unchanged.
            let plan = "\(expected.folder)Plan.swift"
            #expect(before.filter { $0.value != after[$0.key] }.map(\.key) == [plan])
            let path = "\(expected.folder).\(expected.type).self"
            let written = try #require(after[plan])
            #expect(written.components(separatedBy: path).count - 1 == 2)
            #expect(written.contains("\(path),\n    ]\n"))
            #expect(written.contains("toVersion: \(path)),\n    ]\n"))
            let stages = written.split(separator: "\n").filter { $0.contains("toVersion: \(path)") }
            let restored = stages.reduce(written) { $0.replacing("\($1)\n", with: "") }
                .replacing(" \(path),", with: "")
            #expect(restored == before[plan])

            let lint = try Self.lint(folder)
            #expect(lint.status == 0, "\(lint.output)")

            // A second run is refused, and changes nothing.
            #expect(await SyncServerProgram.main(words) == 1)
            #expect(try Self.contents(of: folder) == after)
        }
    }

    @Test func theFileSaysWhatToWrite() throws {
        let files = try Self.contents(of: Self.root.appending(path: "Sources/DemoApps/FitIQ"))
        let scaffold = try VersionScaffold(FitIQPlan.self, files: files)
        #expect(
            scaffold.fileText == """
                public import WireFormats

                extension FitIQ {
                    /// Changes nothing yet. Say here, in a sentence, what it is for.
                    public enum SchemaV12: VersionedSchema {
                        public static let versionIdentifier = Schema.Version(0, 1, 2)
                        public static let models = Models {
                            Inherits(SchemaV11.self)
                            // Only what changes is said here; the rest stays as it was. For example:
                            //
                            // Model("SDUserProfileV11") {
                            //     Attribute("remark", .string.optional)
                            //     Removed("dailyCalorieGoal")
                            // }
                        }
                    }
                }

                """)
    }

    /// The scaffold's declaration and that of its example: both are valid, and the first needs no migration.
    @Test func whatItDeclaresIsInOrderBeforeAndAfterTheExample() async throws {
        let unchanged = try Plan(Scaffolded.self)
        #expect(await Laws.check(unchanged, cases: 2, seed: 1).isLawful)
        #expect(MigrationDraft(unchanged, from: unchanged.newest - 1, to: unchanged.newest, number: nil).name == nil)
        let changed = try Plan(Exemplary.self)
        #expect(await Laws.check(changed, cases: 2, seed: 1).isLawful)
    }

    @Test func folderOrNumberThatDoNotFitAreRefusedWithWhatToDo() async throws {
        let files = try Self.contents(of: Self.root.appending(path: "Sources/DemoApps/FitIQ"))
        func refusal(_ files: [String: String], _ version: Schema.Version? = nil) -> String {
            do {
                _ = try VersionScaffold(FitIQPlan.self, files: files, version: version)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(refusal(files, Schema.Version(0, 1, 1)).contains("later than 0.1.1"))
        let byHand = "‘FitIQ.SchemaV12.self,’ at the end of ‘schemas’ in FitIQPlan"
        #expect(refusal([:]).contains(byHand))
        #expect(refusal(files.filter { $0.key != "FitIQPlan.swift" }).contains(byHand))
        var other = files
        other["FitIQPlan.swift"] = files["FitIQPlan.swift"]?.replacing(" FitIQ.SchemaV11.self,\n", with: "\n")
        #expect(refusal(other).contains("Build first"))
        other["FitIQPlan.swift"] = files["FitIQPlan.swift"]?.replacing("static let stages", with: "static var stages")
        #expect(refusal(other).contains(byHand))
        #expect(await SyncServerProgram.main(["syncserver", "schema", "new", "--app", "fitiq", "--version", "1"]) == 2)
        #expect(await SyncServerProgram.main(["syncserver", "schema", "new"]) == 2)
    }

    private enum Scaffolded: SchemaMigrationPlan {
        static let app = FitIQPlan.app
        static let schemas = FitIQPlan.schemas + [Next.self]
        static let stages =
            FitIQPlan.stages + [.lightweight(fromVersion: FitIQ.SchemaV11.self, toVersion: Next.self)]

        enum Next: VersionedSchema {
            static let versionIdentifier = Schema.Version(0, 1, 2)
            static let models = Models { Inherits(FitIQ.SchemaV11.self) }
        }
    }

    private enum Exemplary: SchemaMigrationPlan {
        static let app = FitIQPlan.app
        static let schemas = FitIQPlan.schemas + [Next.self]
        static let stages =
            FitIQPlan.stages + [.lightweight(fromVersion: FitIQ.SchemaV11.self, toVersion: Next.self)]

        enum Next: VersionedSchema {
            static let versionIdentifier = Schema.Version(0, 1, 2)
            static let models = Models {
                Inherits(FitIQ.SchemaV11.self)
                Model("SDUserProfileV11") {
                    Attribute("remark", .string.optional)
                    Removed("dailyCalorieGoal")
                }
            }
        }
    }
}
