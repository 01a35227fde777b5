import StrictJSON
import WireFormats

extension SchemaCommand {
    /// The default number of test cases for each entity of each version. It is large enough to find a fault that occurs
    /// in one of a few thousand records. It takes less than half a minute for the four apps in a release build on two
    /// cores.
    static let casesStandard = 10_000

    static func check(_ options: Options) async throws -> Int32 {
        if !options.all("sources").isEmpty { return try checkSources(options) }
        let cases = try options.integer("cases", atLeast: 1) ?? casesStandard
        let seed = try seed(options)
        let declarations = try declarations(options)
        let tables = try await differencesOfTables(declarations, options)
        var outcomes: [SchemaCheckOutcome] = []
        for declaration in declarations {
            var outcome = await outcome(of: declaration, cases: cases, seed: seed)
            outcome.tables = tables?[outcome.app]
            outcomes.append(outcome)
        }
        Terminal.endProgress()
        let published = try published(options)
        if options.has("json") {
            Terminal.print(JSONWriter.text { write(outcomes, published, seed: seed, to: &$0) })
        } else {
            Terminal.print((outcomes.map(\.text) + [published.text]).joined(separator: "\n"))
        }
        return outcomes.allSatisfy(\.isInOrder) && published.isInOrder ? 0 : 1
    }

    /// Checks one plan: compiles it, and tests the lens laws (the rules for conversions between versions). If the plan
    /// does not compile, returns the error without testing.
    static func outcome(
        of declaration: any SchemaMigrationPlan.Type, cases: Int, seed: UInt64
    ) async -> SchemaCheckOutcome {
        do throws(PlanError) {
            let plan = try Plan(declaration)
            let laws = await Laws.check(plan, cases: cases, seed: seed) { done, all in
                Terminal.progress("\(plan.app): \(done) of \(all) entities × versions")
            }
            return SchemaCheckOutcome(app: plan.app, error: nil, laws: laws, notes: plan.notes(on: plan.newest))
        } catch {
            return SchemaCheckOutcome(app: error.app, error: error, laws: nil)
        }
    }

    /// Compares the published versions and migrations with the plans. Apps whose plans do not compile are left out.
    private static func published(_ options: Options) throws -> PublishedOutcome {
        let declarations = try declarations(options)
        let plans = declarations.compactMap { try? Plan($0) }
        let uncompared = declarations.map { $0.app }.filter { app in !plans.contains { $0.app == app } }
        do {
            let publication = try publication(options, plans)
            return PublishedOutcome(problems: publication.problems(), publication, uncompared: uncompared)
        } catch let problem as FrozenProblem {
            return PublishedOutcome(problems: [problem], nil, uncompared: uncompared)
        } catch let error as CommandError {
            // The laws need no tables: their results must not be lost.
            let problem = FrozenProblem.noMigrations(plans.map(\.app), "\(error)")
            return PublishedOutcome(problems: [problem], nil, uncompared: uncompared)
        }
    }

    /// Returns the seed given by `--seed`, or a random one if the option is not given.
    static func seed(_ options: Options) throws(UsageError) -> UInt64 {
        guard let seed = UInt64(options["seed"] ?? "\(UInt64.random(in: 1...UInt64(Int64.max)))") else {
            throw UsageError("‘--seed’ takes a whole number.")
        }
        return seed
    }

    private static func write(
        _ outcomes: [SchemaCheckOutcome], _ published: PublishedOutcome, seed: UInt64, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        // As text: not every reader reads a JSON number of 64 bits exactly.
        writer.member("seed", "\(seed)")
        writer.member("inOrder", outcomes.allSatisfy(\.isInOrder) && published.isInOrder)
        writer.member("apps", each: outcomes) { writer, outcome in outcome.write(to: &writer) }
        writer.key("published")
        published.write(to: &writer)
        writer.endObject()
    }
}
