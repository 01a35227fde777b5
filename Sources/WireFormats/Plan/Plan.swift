package import StrictJSON

/// A migration plan, checked and compiled: the schemas, the hub (the structure of the tables that store the records of
/// all versions), and a projection for each entity of each version.
///
/// The server makes it once, at its start. Every change that it reads or writes is translated by one of the plan's
/// projections.
package struct Plan: Sendable {
    package let app: String
    /// The versions, oldest first.
    package let schemas: [Schema]
    /// Every shape of the models that a client may use: `schemas`, then the historical variants (other shapes that were
    /// shipped under a version's number). A shape is referred to by its index in this list. A version has the same
    /// index here and in `schemas`.
    package var shapes: [Schema] { tree.shapes }
    /// The version that is assumed for a request that states none, as an index in `schemas`; `nil` if every request
    /// must state one.
    package let baseline: Int?
    package let hub: Hub
    /// By shape, then by hub entity: the entity's projection (its compiled lens) in that shape; `nil` if the shape does
    /// not have the entity.
    package let projections: [[Projection?]]
    /// The app's reader of the files that the app itself wrote before its models had versions; `nil` if there are no
    /// such files.
    package private(set) var legacyImporter: (any LegacyImporting.Type)?
    let tree: ShapeTree
    private let versions: [Schema.Version: Int]
    private let fingerprints: [String: Int]
    /// The index in `shapes` of each shape, by the exact names that clients may send for it.
    private let stated: [String: Int]
    /// By shape (version or historical variant): the projections of its entities, and the names of the entities in the
    /// same order.
    private let synced: [(projections: [Projection], names: JSONKeyTable)]

    /// Checks and compiles a plan.
    ///
    /// - Throws: `PlanError` with all mistakes in the plan, each with its remedy.
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

    /// Returns the plan as it was when `version` (an index in `schemas`) was the newest version. A server of that time
    /// has this plan.
    package func cut(after version: Int) -> Plan {
        let count = tree.growth.lastIndex { tree.age(of: $0) <= version }.map { $0 + 1 } ?? 0
        return Plan(app: app, tree: tree.grown(count), baseline: baseline.flatMap { $0 <= version ? $0 : nil })
    }

    /// The index of `version` in `schemas`, or `nil` if the plan has no such version.
    package func index(of version: Schema.Version) -> Int? {
        versions[version]
    }

    /// The index in `shapes` of the shape that `name` refers to; `nil` if there is none with this number and
    /// fingerprint. A number without a fingerprint refers to the version itself, never to a variant of it. A
    /// fingerprint without a number may refer to any shape.
    package func index(of name: ShapeName) -> Int? {
        guard let fingerprint = name.fingerprint else { return name.version.flatMap { index(of: $0) } }
        guard let index = fingerprints[fingerprint] else { return nil }
        return name.version == nil || name.version == shapes[index].version ? index : nil
    }

    /// The index in `shapes` of the shape with exactly this name, spelled as `name(of:)` spells it, with or without the
    /// fingerprint. `nil` if there is none, or if the name is spelled in another way.
    package func index(ofStated text: String) -> Int? {
        stated[text]
    }

    /// The name by which clients of the shape at `index` refer to it. For a version it is the number alone.
    package func name(of index: Int) -> ShapeName {
        tree.name(of: index)
    }

    /// Returns true if the shape at `index` is a historical variant: it was shipped under a version's number without
    /// being that version.
    package func isVariant(_ index: Int) -> Bool {
        tree.isVariant(index)
    }

    /// The index in `schemas` of the version with the same number as the shape at `index`. A shape is a version or a
    /// historical variant; for a version, the result is `index` itself.
    package func version(of index: Int) -> Int {
        tree.version(of: index)
    }

    /// The indices in `shapes` of all versions and historical variants, in the order in which their columns were added
    /// to the tables. They are published in the same order.
    package var growth: [Int] { tree.growth }

    /// The compiled stages. `stages[k]` leads to `shapes[k + 1]`: from the version before it or, if it is a historical
    /// variant, from the version with the same number.
    var stages: [Stage] { tree.stages }

    /// Returns true if a stage (an index in `stages`) has instructions from its author.
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

    /// The projection of the entity whose name is this JSON string. `nil` if the version syncs no such entity, or if
    /// the JSON value is not a string.
    package func projection(version: Int, named name: JSONNode) -> Projection? {
        synced[version].names.position(of: name).map { synced[version].projections[$0] }
    }

    /// The index of the newest version in `schemas`.
    package var newest: Int { schemas.count - 1 }
}

/// The compiled step between two neighbouring versions, or from a version to a historical variant with the same number.
struct Stage: Sendable {
    let entities: [EntityStep]
    /// True if the author wrote instructions for the stage. The plan's check ensures that the stage is then declared
    /// `.custom`, and otherwise `.lightweight`.
    let isCustom: Bool

    /// The change of one synced entity in a stage.
    struct EntityStep: Sendable {
        /// The entity's name in the older version; `nil` if the newer version introduces the entity.
        let older: String?
        /// The entity's name in the newer version; `nil` if the newer version no longer has the entity.
        let newer: String?
        let operations: [any LensOperation]
    }
}
