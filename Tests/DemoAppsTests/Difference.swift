@testable import WireFormats

/// A deliberate difference between a declaration and the real app: the app's statement, the declaration's statement,
/// and the reason.
struct Difference {
    let versions: [String]
    let fact: String?
    let declared: String?
    let reason: String

    init(in versions: String..., fact: String? = nil, declared: String? = nil, because reason: String) {
        self.versions = versions
        self.fact = fact
        self.declared = declared
        self.reason = reason
    }
}

/// A plan, compared with the facts of the app that it declares.
struct Comparison {
    /// Differences that are not listed, and listed differences that do not exist; empty if the list is exact.
    let surprises: [String]

    init(_ plan: any SchemaMigrationPlan.Type, with facts: Facts, except differences: [Difference]) throws {
        let schemas = try Plan(plan).schemas
        let stages = ["none"] + plan.stages.map(\.word)
        var surprises: [String] = []
        if schemas.map(\.version.description) != facts.versions.map(\.identifier) {
            surprises.append("the versions are \(schemas.map(\.version)), not \(facts.versions.map(\.identifier))")
        }
        for (schema, (stage, version)) in zip(schemas, zip(stages, facts.versions)) {
            let listed = differences.filter { $0.versions.contains(version.identifier) }
            let (real, ours) = (facts.sentences(of: version), schema.sentences(stage: stage))
            surprises += Comparison.surprises(
                real.subtracting(ours), Set(listed.compactMap(\.fact)), "\(version.identifier): the app says ")
            surprises += Comparison.surprises(
                ours.subtracting(real), Set(listed.compactMap(\.declared)), "\(version.identifier): the plan says ")
        }
        self.surprises = surprises
    }

    private static func surprises(_ found: Set<String>, _ listed: Set<String>, _ prefix: String) -> [String] {
        found.subtracting(listed).sorted().map { "\(prefix)“\($0)”" }
            + listed.subtracting(found).sorted().map { "listed, but no difference: \(prefix)“\($0)”" }
    }
}
