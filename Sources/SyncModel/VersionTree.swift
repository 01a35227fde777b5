import WireFormats

/// All shapes of an app's models that clients use: the versions in a chain, and each historical variant attached to its
/// version. A shape is identified by its index: the versions come first, oldest first, then the variants in declared
/// order.
struct VersionTree: Sendable {
    let schemas: [Schema]
    /// Stages to all shapes except the first: `stages[k]` leads to `schemas[k + 1]`.
    let stages: [Stage]
    /// The number of shapes that are versions.
    let versions: Int
    /// Shape indices in the order in which the shapes were added.
    let history: [Int]
    /// The index of the version that was the newest when a shape was added, indexed by shape.
    private let ages: [Int]
    /// The newest version that the server knows: the plan's newest, unless the server is held back.
    private(set) var newest: Int

    /// The stage that the app's author declares between two neighbouring shapes.
    struct Stage: Sendable {
        let older: Int
        let newer: Int
        let instructions: [StageInstruction.Kind]
    }

    /// A stage in one of its two directions.
    struct Hop: Sendable {
        let stage: Int
        let from: Int
        let to: Int
        /// True if the hop leads to the newer of the two shapes.
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

    /// Returns the tree for a server that knows no version after this one.
    func heldBack(at version: Int) -> VersionTree {
        var tree = self
        tree.newest = version
        return tree
    }

    /// True if the server knows the shape.
    func isServed(_ shape: Int) -> Bool { ages[shape] <= newest }

    /// Returns the index of the shape that a client names; `nil` if there is none. A number alone names the version,
    /// and a fingerprint alone names any shape with that fingerprint.
    func index(of name: ShapeName) -> Int? {
        guard let fingerprint = name.fingerprint else {
            return schemas[..<versions].firstIndex { $0.version == name.version }
        }
        return schemas.firstIndex {
            $0.fingerprint == fingerprint && (name.version == nil || name.version == $0.version)
        }
    }

    /// Returns the hops (stages in one direction) from one shape to all others, breadth first. Each hop begins at a
    /// shape that an earlier one has reached, or at the first.
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
