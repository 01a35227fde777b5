import WireFormats

/// Every shape that an app's clients speak: the versions in a chain, and each historical variant on its version. Shapes
/// are known by their places: the versions oldest first, then the variants as they are declared.
struct VersionTree: Sendable {
    let schemas: [Schema]
    /// One for each shape but the first: `stages[k]` leads to `schemas[k + 1]`.
    let stages: [Stage]
    /// How many of the shapes are versions.
    let versions: Int
    /// The shapes in the order in which they came into being.
    let history: [Int]
    /// By shape: the version that was the newest when it came into being.
    private let ages: [Int]
    /// The newest version that the server knows: the plan's newest, but for a server that is held back.
    private(set) var newest: Int

    /// What the author declared between two shapes.
    struct Stage: Sendable {
        let older: Int
        let newer: Int
        let instructions: [StageInstruction]
    }

    /// A stage, walked in one of its directions.
    struct Hop: Sendable {
        let stage: Int
        let from: Int
        let to: Int
        /// Whether it leads to the newer of the two.
        let isUpward: Bool
    }

    init(_ plan: any SchemaMigrationPlan.Type) throws(ModelError) {
        guard !plan.schemas.isEmpty else { throw .noVersions }
        var schemas = plan.schemas.map { Schema.declared($0) }
        var stages: [Stage] = []
        for place in plan.schemas.indices.dropLast() {
            let (older, newer) = (plan.schemas[place], plan.schemas[place + 1])
            guard let stage = plan.stages.first(where: { $0.from == older && $0.to == newer }) else {
                throw .missingStage(older: "\(older)", newer: "\(newer)")
            }
            stages.append(Stage(older: place, newer: place + 1, instructions: stage.kind.instructions))
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

    /// The same while the server knows nothing that came after a version.
    func heldBack(at version: Int) -> VersionTree {
        var tree = self
        tree.newest = version
        return tree
    }

    /// Whether the server knows the shape.
    func isServed(_ shape: Int) -> Bool { ages[shape] <= newest }

    /// The place of the shape that a client means by `name`: a number alone is the version's, a fingerprint alone any
    /// shape's.
    func place(of name: ShapeName) -> Int? {
        guard let fingerprint = name.fingerprint else {
            return schemas[..<versions].firstIndex { $0.version == name.version }
        }
        return schemas.firstIndex {
            $0.fingerprint == fingerprint && (name.version == nil || name.version == $0.version)
        }
    }

    /// From one shape to all others, each hop from where an earlier one ended.
    func walk(from shape: Int) -> [Hop] {
        var hops: [Hop] = []
        var reached = [shape]
        var next = 0
        while next < reached.count {
            let here = reached[next]
            next += 1
            for (place, stage) in stages.enumerated() {
                if stage.older == here, !reached.contains(stage.newer) {
                    hops.append(Hop(stage: place, from: here, to: stage.newer, isUpward: true))
                    reached.append(stage.newer)
                } else if stage.newer == here, !reached.contains(stage.older) {
                    hops.append(Hop(stage: place, from: here, to: stage.older, isUpward: false))
                    reached.append(stage.older)
                }
            }
        }
        return hops
    }
}

extension MigrationStage.Kind {
    fileprivate var instructions: [StageInstruction] {
        switch self {
        case .lightweight: []
        case .custom(let instructions): instructions
        }
    }
}
