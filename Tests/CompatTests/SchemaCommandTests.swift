import DemoApps
import PGStore
import Postgres
import StrictJSON
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncCommands

/// `syncserver schema`, judged by its exit status.
@Suite struct SchemaCommandTests {
    private func status(_ words: String...) async -> Int32 {
        await SyncServerProgram.main(["syncserver", "schema"] + words)
    }

    @Test(arguments: DemoApps.all.map { $0.app })
    func everyAppIsListedPlannedAndInOrder(_ app: String) async throws {
        let plan = try Plan(try #require(DemoApps.all.first { $0.app == app }))
        let (first, last) = ("\(plan.schemas[0].version)", "\(plan.schemas[plan.newest].version)")
        for form in [[], ["--json"]] {
            let rest = ["--app", app] + form
            #expect(await SyncServerProgram.main(["syncserver", "schema", "list"] + rest) == 0)
            #expect(await SyncServerProgram.main(["syncserver", "schema", "show", last] + rest) == 0)
            #expect(await SyncServerProgram.main(["syncserver", "schema", "diff", last, first] + rest) == 0)
            #expect(await SyncServerProgram.main(["syncserver", "schema", "plan", first, last] + rest) == 0)
            let sql = ["syncserver", "schema", "sql"]
            #expect(await SyncServerProgram.main(sql + [first, last] + rest) == 0)
            #expect(await SyncServerProgram.main(sql + [last] + rest) == 0)
            #expect(await SyncServerProgram.main(["syncserver", "schema", "json-schema", last] + rest) == 0)
            let entity = plan.hub.entities[0].identity
            #expect(await SyncServerProgram.main(["syncserver", "schema", "explain", entity] + rest) == 0)
        }
        #expect(await status("check", "--app", app, "--cases", "3", "--seed", "1") == 0)
    }

    @Test func aVariantIsNamedByItsFingerprint() async throws {
        let variant = "\(try Plan(FitIQPlan.self).name(of: 11))"
        for form in [[], ["--json"]] {
            let rest = ["--app", "fitiq"] + form
            #expect(await SyncServerProgram.main(["syncserver", "schema", "show", variant] + rest) == 0)
            #expect(await SyncServerProgram.main(["syncserver", "schema", "diff", "0.1.1", variant] + rest) == 0)
            #expect(await SyncServerProgram.main(["syncserver", "schema", "plan", "0.1.0", variant] + rest) == 0)
        }
        #expect(await status("show", "0.1.0;fp=0123456789abcdef", "--app", "fitiq") == 2)
        #expect(await status("plan", "0.0.9", variant, "--app", "fitiq") == 2)
        #expect(await status("plan", variant, "0.1.1", "--app", "fitiq") == 2)
    }

    @Test func whatIsNotThereIsSaid() async {
        #expect(await status("show", "9.9.9", "--app", "fitiq") == 2)
        #expect(await status("plan", "0.1.1", "0.1.0", "--app", "fitiq") == 2)
        #expect(await status("sql", "0.1.1", "0.1.0", "--app", "fitiq") == 2)
        #expect(await status("json-schema", "0.0.1", "--app", "fitiq", "--entity", "SDMeal") == 2)
        #expect(await status("list", "--app", "nothing") == 2)
        #expect(await status("explain", "Nothing", "--app", "fitiq") == 1)
        #expect(await status() == 2)
    }

    @Test("S2_02: a plan without a stage is invalid, and the check names the missing one")
    func aPlanThatDoesNotCompileIsNotInOrder() async {
        let outcome = await SchemaCommand.outcome(of: WithoutStage.self, cases: 1, seed: 1)
        #expect(!outcome.isInOrder)
        #expect(outcome.text.contains("missing-stage"))
    }

    /// Returns the output of `schema check --database` for FitIQ and EasitOpen after a statement, and its exit status.
    private func check(after statement: Statement?) async throws -> (status: Int32, outcomes: [SchemaCheckOutcome]) {
        try await withTestDatabase(migrated: Repository.migrations()) { database in
            if let statement {
                let session = try await Session.open(database.superuserConnectionString)
                try await session.execute(Command(statement))
                await session.close()
            }
            let url = database.connectionString.textRevealingSecrets
            let options = try Options(["--database", url], of: checkCommand())
            let declarations: [any SchemaMigrationPlan.Type] = [FitIQPlan.self, EasitOpenPlan.self]
            let tables = try await SchemaCommand.differencesOfTables(declarations, options)
            var outcomes: [SchemaCheckOutcome] = []
            for declaration in declarations {
                var outcome = await SchemaCommand.outcome(of: declaration, cases: 1, seed: 1)
                outcome.tables = tables?[outcome.app]
                outcomes.append(outcome)
            }
            return (await status("check", "--cases", "1", "--database", url), outcomes)
        }
    }

    private func checkCommand() throws -> CommandPath {
        try CommandPath(SchemaCommand.spec).resolve(["check"]).path
    }

    struct Difference: Sendable {
        let statement: Statement
        let place: String
        let message: String
    }

    static let differences = [
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal DROP COLUMN notes", place: "fitiq.sd_meal.notes", message: "missing"),
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal ADD COLUMN surprise text", place: "fitiq.sd_meal.surprise",
            message: "no such column"),
        Difference(
            statement: "ALTER TABLE fitiq.sd_meal ALTER COLUMN total_calories TYPE integer",
            place: "fitiq.sd_meal.total_calories", message: "it is integer, the plan needs bigint"),
    ]

    @Test(arguments: differences)
    func aDatabaseThatDiffersIsNotInOrder(difference: Difference) async throws {
        let (place, message) = (difference.place, difference.message)
        let (status, outcomes) = try await check(after: difference.statement)
        #expect(status == 1)
        #expect(outcomes.map(\.isInOrder) == [false, true])
        #expect(outcomes[0].tables?.map(\.place) == [place])
        #expect(
            outcomes[0].text.contains("  - \(place): ") && outcomes[0].text.contains(message), "\(outcomes[0].text)")
        let json = JSONWriter.text { outcomes[0].write(to: &$0) }
        #expect(json.contains("\"tables\":[{\"place\":\"\(place)\",\"message\":"), "\(json)")
    }

    @Test func aDatabaseThatAgreesIsInOrderAndAnEmptyOneIsNot() async throws {
        let (found, outcomes) = try await check(after: nil)
        #expect(found == 0)
        #expect(outcomes.map(\.isInOrder) == [true, true])
        #expect(outcomes[0].text.contains("fitiq: the database has the tables that the plan needs"))
        try await withTestDatabase { database in
            let url = database.connectionString.textRevealingSecrets
            #expect(await status("check", "--app", "keeptrack", "--cases", "1", "--json", "--database=\(url)") == 1)
        }
    }

    @Test func aDatabaseIsComparedOnlyWhereOneIsAskedFor() async throws {
        func options(_ words: String...) throws -> Options {
            try Options(words, of: checkCommand())
        }
        #expect(try await SchemaCommand.differencesOfTables([FitIQPlan.self], options()) == nil)
        #expect(try options("--database", "--app", "fitiq").has("database"))
        #expect(try options("--database", "--app", "fitiq")["app"] == "fitiq")
        #expect(try options("--database", "postgresql:///x")["database"] == "postgresql:///x")
        #expect(try options("--database").has("database"))
    }

    /// S2: two versions without a stage between them.
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
