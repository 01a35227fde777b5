import Apps
import Testing
import WireFormats

@testable import SyncServer

/// `syncserver schema`, as far as its exit status tells.
@Suite struct SchemaCommandTests {
    private func status(_ words: String...) async -> Int32 {
        await SyncServerProgram.main(["syncserver", "schema"] + words)
    }

    @Test(arguments: Apps.all.map { $0.app })
    func everyAppIsListedPlannedAndInOrder(_ app: String) async throws {
        let plan = try Plan(try #require(Apps.all.first { $0.app == app }))
        let (first, last) = ("\(plan.schemas[0].version)", "\(plan.schemas[plan.newest].version)")
        for form in [[], ["--json"]] {
            let rest = ["--app", app] + form
            #expect(await SyncServerProgram.main(["syncserver", "schema", "list"] + rest) == 0)
            #expect(await SyncServerProgram.main(["syncserver", "schema", "show", last] + rest) == 0)
            #expect(await SyncServerProgram.main(["syncserver", "schema", "diff", last, first] + rest) == 0)
            #expect(await SyncServerProgram.main(["syncserver", "schema", "plan", first, last] + rest) == 0)
            let entity = plan.hub.entities[0].identity
            #expect(await SyncServerProgram.main(["syncserver", "schema", "explain", entity] + rest) == 0)
        }
        #expect(await status("check", "--app", app, "--cases", "3", "--seed", "1") == 0)
    }

    @Test func whatIsNotThereIsSaid() async {
        #expect(await status("show", "9.9.9", "--app", "fitiq") == 2)
        #expect(await status("plan", "0.1.1", "0.1.0", "--app", "fitiq") == 2)
        #expect(await status("list", "--app", "nothing") == 2)
        #expect(await status("explain", "Nothing", "--app", "fitiq") == 1)
        #expect(await status() == 2)
    }

    @Test("S2_02: a plan without a stage is not in order, and the check says which is missing")
    func aPlanThatDoesNotCompileIsNotInOrder() {
        let outcome = SchemaCommand.outcome(of: WithoutStage.self, cases: 1, seed: 1)
        #expect(!outcome.isInOrder)
        #expect(outcome.text.contains("missing-stage"))
    }

    /// S2: two versions, and nothing said about what lies between.
    private enum WithoutStage: SchemaMigrationPlan {
        static let app = "withoutstage"
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
        static let stages: [MigrationStage] = []

        enum V1: VersionedSchema {
            static let versionIdentifier = Schema.Version(0, 0, 1)
            static let models = Models { Model("Item") { Attribute("name", .string) } }
        }

        enum V2: VersionedSchema {
            static let versionIdentifier = Schema.Version(0, 0, 2)
            static let models = Models { Inherits(V1.self) }
        }
    }
}
