/// A migration plan, checked and compiled: the schemas, the hub that holds them all, and a flat projection for each
/// version of each entity.
///
/// Made once at start. Everything that the server does with a change goes through one of its projections.
public struct Plan: Sendable {
    public let app: String
    /// The versions, oldest first.
    public let schemas: [Schema]
    /// Every shape that a client may speak: `schemas`, and after them the historical variants. A shape is referred to
    /// by its place here, which for a version is its place in `schemas`.
    public var shapes: [Schema] { tree.shapes }
    /// The place in `schemas` of the version that a request means which names none; `nil` where each must name one.
    public let baseline: Int?
    public let hub: Hub
    /// By shape, then by hub entity; `nil` where the shape does not have the entity.
    public let projections: [[Projection?]]
    /// What reads the files that the app wrote by itself; `nil` where it wrote none.
    package private(set) var legacyImporter: (any LegacyImporting.Type)?
    let tree: ShapeTree
    private let versions: [Schema.Version: Int]
    private let fingerprints: [String: Int]
    /// By how clients name a shape.
    private let stated: [String: Int]
    /// By shape: the projections that there are, and their names in the same order.
    private let synced: [(projections: [Projection], names: JSONKeyTable)]

    /// - Throws: `PlanError` with everything that is wrong, each with its remedy.
    public init(_ declaration: any SchemaMigrationPlan.Type) throws(PlanError) {
        var check = PlanCheck(declaration)
        check.run()
        guard check.problems.isEmpty else { throw PlanError(app: declaration.app, problems: check.problems) }
        self.init(app: declaration.app, tree: check.tree, baseline: check.baseline)
        legacyImporter = declaration as? any LegacyImporting.Type
        let problems = MergeCheck(self).problems
        guard problems.isEmpty else { throw PlanError(app: app, problems: problems) }
    }

    private init(app: String, tree: ShapeTree, baseline: Int?) {
        self.app = app
        self.tree = tree
        self.baseline = baseline
        schemas = Array(tree.shapes[..<tree.versions])
        (hub, projections) = HubCompiler(app: app, tree: tree).compile()
        versions = Dictionary(uniqueKeysWithValues: schemas.enumerated().map { ($1.version, $0) })
        fingerprints = Dictionary(uniqueKeysWithValues: tree.shapes.enumerated().map { ($1.fingerprint, $0) })
        var stated: [String: Int] = [:]
        for (place, shape) in tree.shapes.enumerated() {
            stated[tree.name(of: place).description] = place
            stated[ShapeName(version: shape.version, fingerprint: shape.fingerprint).description] = place
        }
        self.stated = stated
        synced = projections.map { row in
            let projections = row.compactMap { $0 }
            return (projections, JSONKeyTable(projections.map(\.name)))
        }
    }

    /// The plan as it was when `version` (a place in `schemas`) was the newest: what a server of that time went by.
    package func cut(after version: Int) -> Plan {
        let count = tree.growth.lastIndex { tree.age(of: $0) <= version }.map { $0 + 1 } ?? 0
        return Plan(app: app, tree: tree.grown(count), baseline: baseline.flatMap { $0 <= version ? $0 : nil })
    }

    /// The place of `version` in `schemas`, or `nil` where the plan has no such version.
    public func index(of version: Schema.Version) -> Int? {
        versions[version]
    }

    /// The place in `shapes` of the one that `name` states, or `nil` where the plan has none of that number and
    /// fingerprint. A number alone means the version and none of its variants; a fingerprint alone any shape.
    public func index(of name: ShapeName) -> Int? {
        guard let fingerprint = name.fingerprint else { return name.version.flatMap { index(of: $0) } }
        guard let place = fingerprints[fingerprint] else { return nil }
        return name.version == nil || name.version == shapes[place].version ? place : nil
    }

    /// The place in `shapes` of the one that is named in just this text, as `name(of:)` writes it or with the
    /// fingerprint behind; `nil` also for other ways to write it.
    public func index(ofStated text: String) -> Int? {
        stated[text]
    }

    /// What a client of the shape at `place` says of itself; a version needs no more than its number.
    public func name(of place: Int) -> ShapeName {
        tree.name(of: place)
    }

    /// Whether the shape at `place` was shipped under a version's number without being that version.
    public func isVariant(_ place: Int) -> Bool {
        tree.isVariant(place)
    }

    /// The place in `schemas` of the version whose number the shape at `place` has: its own, unless it is a variant.
    public func version(of place: Int) -> Int {
        tree.version(of: place)
    }

    /// The shapes in the order in which the tables grew, which is the one in which they are published.
    package var growth: [Int] { tree.growth }

    /// The steps between the shapes: `stages[k]` leads to `shapes[k + 1]`, from the version before or, for a variant,
    /// from the version whose number it has.
    var stages: [Stage] { tree.stages }

    /// Whether the author of a stage (a place in `stages`) had to say anything.
    package func isCustom(stage: Int) -> Bool { stages[stage].isCustom }

    /// The projection of the entity that `version` (a place in `shapes`) calls `name`; `nil` where it syncs no such
    /// entity.
    public func projection(version: Int, named name: String) -> Projection? {
        name.withUTF8Span { projection(version: version, named: $0) }
    }

    /// The same for a name in UTF-8.
    public func projection(version: Int, named name: Span<UInt8>) -> Projection? {
        synced[version].names.position(of: name).map { synced[version].projections[$0] }
    }

    /// The same for a JSON string; `nil` also for anything else.
    public func projection(version: Int, named name: JSONNode) -> Projection? {
        synced[version].names.position(of: name).map { synced[version].projections[$0] }
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
