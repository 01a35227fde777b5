import WireFormats

/// The shapes of an app's schema. A shape is an exact set of entities and attributes: a version, or a historical
/// variant that had the number of a version.
///
/// The versions form a chain, and each variant is attached to the version with its number. A shape is identified by its
/// index. The versions come first, oldest first, then the variants in declared order.
struct VersionTree: Sendable {
    let schemas: [Schema]
    /// The stages (migration steps) to all shapes except the first one: `stages[k]` leads to `schemas[k + 1]`.
    let stages: [Stage]
    /// The number of versions in `schemas`. The shapes after them are historical variants.
    let versions: Int
    /// The indices of all shapes (versions and variants), in the order in which they were added to the app.
    let history: [Int]
    /// For each shape (version or variant), the index of the newest version at the time when the shape was added.
    private let ages: [Int]
    /// The index of the newest version that the server knows. It is the plan's newest, unless the server has an older
    /// plan.
    private(set) var newest: Int

    /// A migration step between two neighbouring shapes (versions or variants), as the app's plan declares it.
    struct Stage: Sendable {
        let older: Int
        let newer: Int
        let instructions: [StageInstruction.Kind]
    }

    /// A stage (migration step) in one of its two directions.
    struct Hop: Sendable {
        let stage: Int
        let from: Int
        let to: Int
        /// True if the migration step is taken forwards, from the older shape (version or variant) to the newer one.
        let isUpward: Bool
    }

    init(_ plan: any SchemaMigrationPlan.Type) throws(ModelError) {
        guard !plan.schemas.isEmpty else { throw .noVersions }
        var schemas = plan.schemas.map { Schema.declared($0) }
        var stages: [Stage] = []
        for index in plan.schemas.indices.dropLast() {
            let (older, newer) = (plan.schemas[index], plan.schemas[index + 1])
            guard let stage = plan.stages.first(where: { $0.from == older && $0.to == newer }) else {
                throw .missingStage(older: "\(older)", newer: "\(newer)")
            }
            stages.append(Stage(older: index, newer: index + 1, instructions: stage.kind.instructions))
        }
        versions = schemas.count
        var addedWith: [Int] = []
        for variant in plan.historicalVariants {
            guard let version = plan.schemas.firstIndex(where: { $0 == variant.canonical }),
                let newest = plan.schemas.firstIndex(where: { $0 == variant.addedWith })
            else { throw .strayVariant("\(variant.schema)") }
            stages.append(Stage(older: version, newer: schemas.count, instructions: variant.kind.instructions))
            schemas.append(Schema.declared(variant.schema))
            addedWith.append(newest)
        }
        history = (0..<versions).flatMap { version in
            [version] + addedWith.indices.filter { addedWith[$0] == version }.map { plan.schemas.count + $0 }
        }
        ages = Array(0..<versions) + addedWith
        newest = versions - 1
        self.schemas = schemas
        self.stages = stages
    }

    /// Returns a copy of the tree for a server that was not migrated yet: it knows this version and older ones, but no
    /// newer ones.
    func heldBack(at version: Int) -> VersionTree {
        var tree = self
        tree.newest = version
        return tree
    }

    /// Returns true if the server knows the shape (version or variant). A server with an older plan does not know all
    /// shapes.
    func isServed(_ shape: Int) -> Bool { ages[shape] <= newest }

    /// Returns the index of the shape (version or variant) with this name; `nil` if there is none.
    ///
    /// A name consists of a version number, a fingerprint (a hash of the schema), or both. A number alone means the
    /// version. A fingerprint alone means the first shape that has it.
    func index(of name: ShapeName) -> Int? {
        guard let fingerprint = name.fingerprint else {
            return schemas[..<versions].firstIndex { $0.version == name.version }
        }
        return schemas.firstIndex {
            $0.fingerprint == fingerprint && (name.version == nil || name.version == $0.version)
        }
    }

    /// Returns the hops (migration steps in one direction) that lead from a shape to all other shapes, nearest shapes
    /// first.
    ///
    /// Each hop begins at `shape`, or at a shape to which an earlier hop leads.
    func hops(from shape: Int) -> [Hop] {
        var hops: [Hop] = []
        var reached = [shape]
        var next = 0
        while next < reached.count {
            let here = reached[next]
            next += 1
            for (index, stage) in stages.enumerated() {
                if stage.older == here, !reached.contains(stage.newer) {
                    hops.append(Hop(stage: index, from: here, to: stage.newer, isUpward: true))
                    reached.append(stage.newer)
                } else if stage.newer == here, !reached.contains(stage.older) {
                    hops.append(Hop(stage: index, from: here, to: stage.older, isUpward: false))
                    reached.append(stage.older)
                }
            }
        }
        return hops
    }
}

extension MigrationStage.Kind {
    fileprivate var instructions: [StageInstruction.Kind] {
        switch self {
        case .lightweight: []
        case .custom(let instructions): instructions
        }
    }
}
