import PGMigrations
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Words that no two records could share, and now can.
private enum FormerKeysPlan: SchemaMigrationPlan {
    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Word") {
                Identity("id")
                Attribute("text", .string, .unique)
                Attribute("place", .int.optional, .unique)
                Attribute("note", .string, default: "")
                Relationship("list", toOne: "List")
            }
            Model("List") {
                Identity("id")
                Attribute("code", .string.optional, .unique)
                Relationship("words", toMany: "Word", deleteRule: .cascade, inverse: "list")
            }
        }
    }
    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Word") {
                Attribute("text", .string)
                Attribute("note", .string.optional)
            }
        }
    }
    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V2.self)
            Model("Word") { Attribute("position", .int.optional, originalName: "place") }
        }
    }

    static let app = "words"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .lightweight(fromVersion: V1.self, toVersion: V2.self), .lightweight(fromVersion: V2.self, toVersion: V3.self),
    ]
}

/// An attribute that is no longer unique: what fills a space before is what such a server takes.
@Suite struct FormerKeyTests {
    @Test("M22: a database of before a uniqueness was dropped reads as one at the head", arguments: [0, 1, 2])
    func whatIsNoLongerUniqueMigratesAsTheRest(version: Int) async throws {
        let plan = try Plan(FormerKeysPlan.self)
        let lines = [try DraftedFiles.serverLine(), try DraftedFiles(plan: plan).line(upTo: plan.newest)]
        let files = try await MigrationReach.files(plan, lines)
        for seed in [1, UInt64.random(in: 2...UInt64(Int64.max))] {
            let trial = MigrationTrial(plan, at: version, lines: lines, files: files[version], seed: seed)
            let found = try await trial.differences()
            let text = found.prefix(12).joined(separator: "\n")
            #expect(found.isEmpty, "\(found.count) differences, seed \(seed)\n\(text)")
        }
    }
}
