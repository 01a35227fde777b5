package import StrictJSON

/// A migration plan, checked and compiled: the schemas, the hub that holds them all, and a flat projection for each
/// version of each entity.
///
/// Made once at the start of the server. Every change that the server reads or writes goes through one of the plan's
/// projections.
package struct Plan: Sendable {
    package let app: String
    /// The versions, oldest first.
    package let schemas: [Schema]
    /// Every shape that a client may speak: `schemas`, then the historical variants. A shape is referred to by its
    /// index in this list. A version has the same index in `schemas`.
    package var shapes: [Schema] { tree.shapes }
    /// The index in `schemas` of the version for requests that name no version; `nil` if every request must name one.
    package let baseline: Int?
    package let hub: Hub
    /// The projections by shape, then by hub entity; `nil` where the shape does not have the entity.
    package let projections: [[Projection?]]
    /// The reader of the files that the app itself wrote; `nil` if the app wrote none.
    package private(set) var legacyImporter: (any LegacyImporting.Type)?
    let tree: ShapeTree
    private let versions: [Schema.Version: Int]
    private let fingerprints: [String: Int]
    /// The index of each shape, by the text with which clients name the shape.
    private let stated: [String: Int]
    /// By shape: its projections, and the names of their entities in the same order.
    private let synced: [(projections: [Projection], names: JSONKeyTable)]

    /// Checks and compiles a plan.
    ///
    /// - Throws: `PlanError` with everything that is wrong, each problem with its remedy.
    package init(_ declaration: any SchemaMigrationPlan.Type) throws(PlanError) {
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
        for (index, shape) in tree.shapes.enumerated() {
            stated[tree.name(of: index).description] = index
            stated[ShapeName(version: shape.version, fingerprint: shape.fingerprint).description] = index
        }
        self.stated = stated
        synced = projections.map { row in
            let projections = row.compactMap { $0 }
            return (projections, JSONKeyTable(projections.map(\.name)))
        }
    }

    /// The plan as it was when `version` (an index in `schemas`) was the newest: the plan that a server of that time
    /// used.
    package func cut(after version: Int) -> Plan {
        let count = tree.growth.lastIndex { tree.age(of: $0) <= version }.map { $0 + 1 } ?? 0
        return Plan(app: app, tree: tree.grown(count), baseline: baseline.flatMap { $0 <= version ? $0 : nil })
    }

    /// The index of `version` in `schemas`, or `nil` if the plan has no such version.
    package func index(of version: Schema.Version) -> Int? {
        versions[version]
    }

    /// The index in `shapes` of the shape that `name` refers to, or `nil` if the plan has none of this number and
    /// fingerprint. A number alone means the version and none of its variants. A fingerprint alone means any shape.
    package func index(of name: ShapeName) -> Int? {
        guard let fingerprint = name.fingerprint else { return name.version.flatMap { index(of: $0) } }
        guard let index = fingerprints[fingerprint] else { return nil }
        return name.version == nil || name.version == shapes[index].version ? index : nil
    }

    /// The index in `shapes` of the shape that is named by exactly this text, as `name(of:)` writes it, with or without
    /// the fingerprint. `nil` also for any other spelling of the name.
    package func index(ofStated text: String) -> Int? {
        stated[text]
    }

    /// The name that a client of the shape at `index` states. A version needs only its number.
    package func name(of index: Int) -> ShapeName {
        tree.name(of: index)
    }

    /// True if the shape at `index` was shipped under a version's number without being that version.
    package func isVariant(_ index: Int) -> Bool {
        tree.isVariant(index)
    }

    /// The index in `schemas` of the version that has the number of the shape at `index`: the shape itself,
    /// unless it is a variant.
    package func version(of index: Int) -> Int {
        tree.version(of: index)
    }

    /// The shapes in the order in which the tables grew. They are published in the same order.
    package var growth: [Int] { tree.growth }

    /// The steps between the shapes. `stages[k]` leads to `shapes[k + 1]`, from the version before or, for a variant,
    /// from the version whose number the variant has.
    var stages: [Stage] { tree.stages }

    /// True if a stage (an index in `stages`) has instructions from its author.
    package func isCustom(stage: Int) -> Bool { stages[stage].isCustom }

    /// The projection of the entity that `version` (an index in `shapes`) calls `name`; `nil` if the version syncs no
    /// such entity.
    package func projection(version: Int, named name: String) -> Projection? {
        name.withUTF8Span { projection(version: version, named: $0) }
    }

    /// The projection of the entity with this name in UTF-8; `nil` if the version syncs no such entity.
    package func projection(version: Int, named name: Span<UInt8>) -> Projection? {
        synced[version].names.position(of: name).map { synced[version].projections[$0] }
    }

    /// The projection of the entity whose name is this JSON string; `nil` also for any other JSON value.
    package func projection(version: Int, named name: JSONNode) -> Projection? {
        synced[version].names.position(of: name).map { synced[version].projections[$0] }
    }

    /// The index of the newest version in `schemas`.
    package var newest: Int { schemas.count - 1 }
}

/// The compiled step between two neighbouring versions.
struct Stage: Sendable {
    let entities: [EntityStep]
    /// True if the stage has instructions from its author. The plan's check has made sure that the declared kind
    /// agrees.
    let isCustom: Bool

    /// The change of one synced entity.
    struct EntityStep: Sendable {
        /// The entity's name in the older version; `nil` if the newer version introduces the entity.
        let older: String?
        /// The entity's name in the newer version; `nil` if the newer version no longer has the entity.
        let newer: String?
        let operations: [any LensOperation]
    }
}
