/// A migration plan, checked and compiled: the schemas, the hub that holds them all, and a flat projection for each
/// version of each entity.
///
/// Made once at start. Everything that the server does with a change goes through one of its projections.
public struct Plan: Sendable {
    public let app: String
    /// Oldest first.
    public let schemas: [Schema]
    /// The place in `schemas` of the version that a request means which names none; `nil` where each must name one.
    public let baseline: Int?
    public let hub: Hub
    /// By version, then by hub entity; `nil` where the version does not have the entity.
    public let projections: [[Projection?]]
    /// The steps between neighbours: `stages[k]` leads from `schemas[k]` to `schemas[k + 1]`.
    let stages: [Stage]
    private let versions: [Schema.Version: Int]
    private let entitiesByName: [[String: Int]]

    /// - Throws: `PlanError` with everything that is wrong, each with its remedy.
    public init(_ declaration: any SchemaMigrationPlan.Type) throws(PlanError) {
        var check = PlanCheck(declaration)
        check.run()
        guard check.problems.isEmpty else { throw PlanError(app: declaration.app, problems: check.problems) }
        self.init(
            app: declaration.app, schemas: check.schemas, stages: check.stages, baseline: check.baseline)
    }

    private init(app: String, schemas: [Schema], stages: [Stage], baseline: Int?) {
        self.app = app
        self.schemas = schemas
        self.stages = stages
        self.baseline = baseline
        (hub, projections) = HubCompiler(app: app, schemas: schemas, stages: stages).compile()
        versions = Dictionary(uniqueKeysWithValues: schemas.enumerated().map { ($1.version, $0) })
        entitiesByName = projections.map { row in
            Dictionary(uniqueKeysWithValues: row.compactMap { $0 }.map { ($0.name, $0.entity) })
        }
    }

    /// The plan as it was when `version` (a place in `schemas`) was the newest: what a server of that time went by.
    package func cut(after version: Int) -> Plan {
        Plan(
            app: app, schemas: Array(schemas[...version]), stages: Array(stages[..<version]),
            baseline: baseline.flatMap { $0 <= version ? $0 : nil })
    }

    /// The place of `version` in `schemas`, or `nil` where the plan has no such version.
    public func index(of version: Schema.Version) -> Int? {
        versions[version]
    }

    /// The projection of the entity that `version` (a place in `schemas`) calls `name`; `nil` where it syncs no such
    /// entity.
    public func projection(version: Int, named name: String) -> Projection? {
        entitiesByName[version][name].flatMap { projections[version][$0] }
    }

    /// The newest version's place in `schemas`.
    public var newest: Int { schemas.count - 1 }
}

/// The compiled step between two neighbouring versions.
struct Stage: Sendable {
    let entities: [EntityStep]
    /// Whether its author had to say anything; the plan's check has seen that the declaration agrees.
    let isCustom: Bool

    /// What becomes of one synced entity.
    struct EntityStep: Sendable {
        /// Its name in the older version; `nil` where the newer one introduces it.
        let older: String?
        /// Its name in the newer version; `nil` where it no longer has it.
        let newer: String?
        let operations: [any LensOperation]
    }
}
