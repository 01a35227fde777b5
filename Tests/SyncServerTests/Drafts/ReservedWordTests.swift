import PGMigrations
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Names that SQL would read otherwise, and names that are too long for it, from the draft to the database.
@Suite(.ownThread) struct ReservedWordTests {
    @Test func everyWordOfPostgreSQLMayNameAModelAndAnAttribute() async throws {
        let plan = try Plan(WordsPlan.self)
        let tables = Set(plan.hub.entities.map(\.table))
        #expect(tables.isSuperset(of: ["user", "order", "current_date", "between"]) && tables.count > 150)
        let problems = try await DraftTrial(files: DraftedFiles(plan: plan)).problems()
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    /// Two that begin alike for more than 63 bytes; in letters of one byte, and of three.
    @Test func longNamesStayApart() async throws {
        let plan = try Plan(LongNamesPlan.self)
        let files = DraftedFiles(plan: plan)
        let problems = try await DraftTrial(files: files).problems()
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
        let texts = try files.line(upTo: plan.newest).files.map(\.sql)
        let indices = texts.flatMap { text in
            text.matches(of: /CREATE INDEX CONCURRENTLY IF NOT EXISTS "?([^\s"]+)/).map { String($0.1) }
        }
        #expect(indices.count == 4 && Set(indices).count == 4, "\(indices)")
        #expect(indices.allSatisfy { $0.utf8.count <= 63 && $0.hasSuffix("_idx") }, "\(indices)")
    }

    @Test(arguments: [
        ("fitiq.sd_meal", "fitiq.sd_meal"), ("order.user", "\"order\".\"user\""),
        ("\"order\".\"user\"", "\"order\".\"user\""), ("fitiq.\"user\"", "fitiq.\"user\""),
        ("fitiq.café", "fitiq.café"),
        ("\"a b\".c", "\"a b\".c"),
    ])
    func aBackfillNamesItsTableAsSQLDoes(_ text: String, _ sql: String) throws {
        #expect(try #require(TableName(text)).description == sql)
    }

    @Test(arguments: ["", "t", "a.b.c", ".b", "a.", "Fitiq.t", "fitiq.T", "fitiq.\"t", "a .b"])
    func whatIsNoTableIsNone(
        _ text: String
    ) {
        #expect(TableName(text) == nil)
    }
}

/// Models and attributes that are called as SQL's words.
enum WordsPlan: SchemaMigrationPlan {
    static let app = "words"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("User.select", to: "fetch", using: Counted())
        }
    ]

    fileprivate static func attribute(
        _ name: String, _ type: AttributeType, default value: Default? = nil
    ) -> [Model.Statement] {
        ModelBuilder.buildExpression(Attribute(name, type, default: value)).map(\.statement)
    }

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models(
            elements: (ReservedWords.reserved + ReservedWords.ofColumns).map { word in
                let name = word.prefix(1).uppercased() + word.dropFirst()
                return .model(
                    Model(
                        named: name,
                        members: attribute(word, .string.optional)
                            + (word == "select" ? [] : attribute("select", .string))))
            }
                + [
                    .model(
                        Model(
                            named: "Everything",
                            members: (ReservedWords.reserved + ReservedWords.ofColumns + ReservedWords.free)
                                .flatMap { attribute($0, .double.optional) }))
                ])
    }

    /// New columns of each way to be filled, and indices.
    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models(
            elements: [.inherits(V1.self)]
                + ModelsBuilder.buildExpression(
                    Model("User") {
                        Removed("select")
                        Attribute("fetch", .int)
                        Attribute("offset", .string.optional, .unique)
                        Relationship("group", toOne: "Order")
                    }
                ).map(\.statement)
                + [
                    .model(
                        Model(
                            named: "Order",
                            members: ReservedWords.reserved.filter { !["order", "select"].contains($0) }
                                .flatMap { attribute($0, .date, default: .creation) }))
                ])
    }
}

/// Converts a text to its length: a form that keeps no other.
private struct Counted: Conversion {
    func up(_ text: String) -> Int { text.utf8.count }
    func down(_ count: Int) -> String { String(repeating: "x", count: max(0, min(count, 9))) }
    let fidelity = Fidelity.lossy
    let examples = ["", "three"]
}

/// Names with which others are made that are longer than PostgreSQL's.
enum LongNamesPlan: SchemaMigrationPlan {
    static let app = "long"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [.lightweight(fromVersion: V1.self, toVersion: V2.self)]

    private static let long = String(repeating: "a", count: 60)
    private static let wide = String(repeating: "ａ", count: 18)

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Target") { Attribute("name", .string) }
            Model("T" + long) { Attribute(long + "v", .double) }
            Model("T" + wide) { Attribute(wide + "v", .double) }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("T" + long) {
                Attribute(long + "x", .string.optional, .unique)
                Attribute(long + "y", .string.optional, .unique)
                Attribute(long + "z", .date, default: .creation)
            }
            Model("T" + wide) {
                Relationship(wide + "x", toOne: "Target")
                Relationship(wide + "y", toOne: "Target")
                Attribute(wide + "z", .date, default: .creation)
            }
        }
    }
}
