import Testing

@testable import WireFormats

/// Plans of up to three versions, declared in the test that uses them: `Toy.problems(Models { … }, Models { … })`.
enum Toy {
    struct Declaration: Sendable {
        var app = "toy"
        var versions = [Schema.Version(0, 0, 1), Schema.Version(0, 0, 2), Schema.Version(0, 0, 3)]
        var models: [@Sendable () -> Models]
        var stages: [MigrationStage]
        /// The versions that the plan lists, if the test lists them itself.
        var schemas: [any VersionedSchema.Type]
        var baseline: (any VersionedSchema.Type)?
        /// The models and the number of each of the two variants below.
        var cuts: [(version: Schema.Version, models: @Sendable () -> Models)] = []
        var variants: [HistoricalVariant] = []
    }

    /// The declaration of the running test, which the version types below read.
    @TaskLocal static var current = Declaration(models: [], stages: [], schemas: [])

    enum V1: VersionedSchema {
        static var versionIdentifier: Schema.Version { Toy.current.versions[0] }
        static var models: Models { Toy.current.models[0]() }
    }

    enum V2: VersionedSchema {
        static var versionIdentifier: Schema.Version { Toy.current.versions[1] }
        static var models: Models { Toy.current.models[1]() }
    }

    enum V3: VersionedSchema {
        static var versionIdentifier: Schema.Version { Toy.current.versions[2] }
        static var models: Models { Toy.current.models[2]() }
    }

    enum CutA: VersionedSchema {
        static var versionIdentifier: Schema.Version { Toy.current.cuts[0].version }
        static var models: Models { Toy.current.cuts[0].models() }
    }

    enum CutB: VersionedSchema {
        static var versionIdentifier: Schema.Version { Toy.current.cuts[1].version }
        static var models: Models { Toy.current.cuts[1].models() }
    }

    enum Written: SchemaMigrationPlan {
        static var app: String { Toy.current.app }
        static var schemas: [any VersionedSchema.Type] { Toy.current.schemas }
        static var stages: [MigrationStage] { Toy.current.stages }
        static var baseline: (any VersionedSchema.Type)? { Toy.current.baseline }
        static var historicalVariants: [HistoricalVariant] { Toy.current.variants }
    }

    static let all: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]

    /// A custom stage from the first version to the second.
    static func custom(@StageBuilder _ instructions: () -> [StageInstruction]) -> MigrationStage {
        .custom(fromVersion: V1.self, toVersion: V2.self, instructions)
    }

    static func declaration(
        _ models: [@Sendable () -> Models], stages: [MigrationStage], change: (inout Declaration) -> Void = { _ in }
    ) -> Declaration {
        var declaration = Declaration(models: models, stages: stages, schemas: Array(all.prefix(models.count)))
        // Neighbouring versions without a stage of their own get a lightweight one.
        for (older, newer) in zip(declaration.schemas, declaration.schemas.dropFirst())
        where !stages.contains(where: { $0.from == older && $0.to == newer }) {
            declaration.stages.append(.lightweight(fromVersion: older, toVersion: newer))
        }
        change(&declaration)
        return declaration
    }

    static func plan(
        _ models: (@Sendable () -> Models)..., stages: [MigrationStage] = [],
        change: (inout Declaration) -> Void = { _ in }
    ) throws -> Plan {
        try $current.withValue(declaration(models, stages: stages, change: change)) { try Plan(Written.self) }
    }

    /// Returns the problems that the check finds; empty for a valid plan.
    static func problems(
        _ models: (@Sendable () -> Models)..., stages: [MigrationStage] = [],
        change: (inout Declaration) -> Void = { _ in }
    ) -> [PlanProblem] {
        $current.withValue(declaration(models, stages: stages, change: change)) {
            do throws(PlanError) {
                _ = try Plan(Written.self)
                return []
            } catch {
                return error.problems
            }
        }
    }
}

/// Expects exactly one problem, of `code`, whose subject and remedy say all of `words`.
func expectOnly(
    _ code: PlanProblem.Code, _ problems: [PlanProblem], saying words: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(problems.map(\.code) == [code], "\(problems)", sourceLocation: sourceLocation)
    for problem in problems {
        let text = "\(problem)"
        for word in words { #expect(text.contains(word), "\(text)", sourceLocation: sourceLocation) }
        #expect(!problem.remedy.isEmpty && problem.remedy.hasSuffix("."), sourceLocation: sourceLocation)
    }
}
