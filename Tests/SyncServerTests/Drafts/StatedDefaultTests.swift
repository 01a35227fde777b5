import Postgres
import SyncTestSupport
import SyncTesting
import Testing

@testable import SyncEngine
@testable import SyncServer
@testable import WireFormats

/// New attributes whose older records get a value: the draft has all of it, and it is what Swift makes.
@Suite struct StatedDefaultTests {
    private enum TokensPlan: SchemaMigrationPlan {
        static let app = "tokens"
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
        static let stages: [MigrationStage] = [.lightweight(fromVersion: V1.self, toVersion: V2.self)]

        enum V1: VersionedSchema {
            static let versionIdentifier = Schema.Version(1, 0, 0)
            static let models = Models {
                Model("Item") {
                    Identity("id")
                    Attribute("name", .string)
                }
            }
        }

        enum V2: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 0, 0)
            static let models = Models {
                Inherits(V1.self)
                Model("Item") {
                    Attribute("token", .uuid, default: .newID)
                    Attribute("other", .uuid.optional, default: .newID)
                    Attribute("picture", .data, default: "")
                    Attribute("icon", .data, default: "aGVsbG8=")
                    Attribute("last", .date, default: "0001-01-01T00:00:00Z")
                    Attribute("made", .date, default: .creation)
                    Attribute("prefs", .codable("Prefs"), default: .json("{\"loud\":false}"))
                }
            }
        }
    }

    @Test("Nothing of the draft is left to its author, and it runs in phases")
    func theDraftIsComplete() async throws {
        let plan = try Plan(TokensPlan.self)
        let draft = MigrationDraft(plan, from: 0, to: 1, number: 2)
        #expect(draft.isComplete)
        #expect(!draft.blocks.joined().contains("…"))
        let problems = try await DraftTrial(files: DraftedFiles(plan: plan)).problems()
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    @Test("An id of its own is the same in SQL and in Swift")
    func anIDOfItsOwnIsTheSameInSQL() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        let ends: [UInt64] = [0, 1, .max, 1 << 63, .max >> 1]
        let ids =
            ends.flatMap { high in ends.map { ID(high: high, low: $0) } }
            + (0..<200).map { _ in ID.random(using: &random) }
        try await withTestDatabase { database in
            let session = try await Session.open(database.superuserConnectionString)
            try await session.transaction { session in
                for (number, name) in ["token", "x", "naïve", "日本", String(repeating: "long", count: 30)].enumerated() {
                    let qualifiedName = "public.derived_\(number)"
                    try session.execute(
                        Command(Statement(unchecked: DerivedIDFunction(qualifiedName: qualifiedName, name: name).text)))
                    for id in ids {
                        let rows = try session.execute(
                            Command(Statement(unchecked: "SELECT \(qualifiedName)('\(id)')::text")))
                        #expect(rows.string(0, 0) == "\(id.derived(for: name))", "seed \(seed), \(id), \(name)")
                    }
                }
            }
            await session.close()
        }
    }

    @Test(
        "A text is a moment or bytes, or no default",
        arguments: [
            ("2026-01-02T03:04:05.5Z", AttributeType.date, true), ("0001-01-01T00:00:00Z", .date, true),
            ("yesterday", .date, false), ("", .date, false), ("10000-01-01T00:00:00Z", .date, false), ("", .data, true),
            ("aGVsbG8=", .data, true), ("aGVsbG8", .data, false), ("§", .data, false), ("", .uuid, false),
        ])
    func aTextIsAMomentOrBytes(_ text: String, _ type: AttributeType, _ fits: Bool) {
        #expect(Default.string(text).fits(type.kind) == fits)
        #expect((Default.string(text).constant(for: type.kind) != nil) == fits)
    }
}
