/// Checks a plan as a whole and resolves it into schemas and stages. The comment on each rule names the mistake that
/// the rule prevents. Each reported problem names the entity, the versions, and the text to write instead.
struct PlanCheck {
    let declaration: any SchemaMigrationPlan.Type
    private(set) var schemas: [Schema] = []
    private(set) var stages: [Stage] = []
    private(set) var variants: [ShapeTree.Variant] = []
    /// The schemas of the historical variants in `variants`, in the same order.
    private(set) var variantShapes: [Schema] = []
    /// By version, then by an entity's name in that version: the entity's identity, which is the name that it had
    /// first.
    private var identities: [[String: String]] = []
    private(set) var problems: [PlanProblem] = []

    init(_ declaration: any SchemaMigrationPlan.Type) {
        self.declaration = declaration
    }

    mutating func run() {
        checkAppName()
        resolveSchemas()
        for schema in schemas { problems += SchemaCheck(schema).problems }
        checkVersionOrder()
        checkFirstVersion()
        checkBaseline()
        // A stage is compiled from two sound schemas only; otherwise one mistake would be reported many times.
        guard problems.isEmpty else { return problems += undecidedOfStages }
        checkStages()
        guard problems.isEmpty else { return }
        checkReusedNames()
        guard problems.isEmpty else { return }
        checkVariants()
    }

    /// All versions and historical variants, and the stages between them. Not valid if the check has found problems.
    var tree: ShapeTree {
        ShapeTree(shapes: schemas + variantShapes, stages: stages, variants: variants)
    }

    /// The open questions (`Undecided`) in all stages. They are collected here if other problems keep the stages from
    /// being compiled, so that the author sees all open questions at once.
    private var undecidedOfStages: [PlanProblem] {
        declaration.stages.flatMap { stage -> [PlanProblem] in
            guard case .custom(let instructions) = stage.kind else { return [] }
            let subject = "\(stage.from.versionIdentifier) → \(stage.to.versionIdentifier)"
            return instructions.compactMap { instruction in
                guard case .undecided(let question) = instruction else { return nil }
                return question.problem(in: subject)
            }
        }
    }

    /// Checks the app's name, because it becomes the name of a PostgreSQL schema and a URL segment.
    private mutating func checkAppName() {
        let name = declaration.app
        let isWord = name.utf8.allSatisfy {
            ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")) || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9"))
                || $0 == UInt8(ascii: "_")
        }
        // PostgreSQL cuts identifiers at 63 bytes; `sync` holds the server's own tables, `pg_…` is PostgreSQL's.
        if !isWord || name.isEmpty || name.utf8.count > 40 || name == "sync" || name.hasPrefix("pg_")
            || (name.utf8.first.map { $0 >= 0x30 && $0 <= 0x39 } ?? true)
        {
            problems.append(
                PlanProblem(
                    code: .badAppName, subject: name, message: "this cannot name a PostgreSQL schema and a URL segment",
                    remedy: "Use a lower-case word of letters, digits and underscores, other than ‘sync’."))
        }
    }

    private mutating func resolveSchemas() {
        if declaration.schemas.isEmpty {
            problems.append(
                PlanProblem(
                    code: .noVersions, subject: declaration.app, message: "the plan lists no version",
                    remedy: "Add the published schemas to `schemas`, oldest first."))
        }
        for version in declaration.schemas {
            let (schema, found) = Schema.resolving(version)
            let (completed, unpaired) = schema.pairingInverses()
            schemas.append(completed)
            problems += found + unpaired
        }
    }

    private mutating func checkVersionOrder() {
        for (older, newer) in zip(schemas, schemas.dropFirst()) where older.version >= newer.version {
            problems.append(
                PlanProblem(
                    code: .versionOrder, subject: "\(older.version), \(newer.version)",
                    message: "version numbers must strictly increase through `schemas`",
                    remedy:
                        "Order the schemas oldest first and give each a number of its own; what was shipped under the "
                        + "number of another belongs in `historicalVariants`."))
        }
    }

    /// Checks that the first version renames nothing, because there is no version before it.
    private mutating func checkFirstVersion() {
        guard let first = schemas.first else { return }
        for entity in first.entities {
            let names =
                [entity.originalName].compactMap { $0 }
                + entity.fields.compactMap(\.originalName).map { "\(entity.name).\($0)" }
            problems += names.map { .unknownName($0, in: [], version: first.version) }
        }
    }

    /// The index of the declared baseline in `schemas`: the version of clients that state none. `nil` if none is
    /// declared.
    var baseline: Int? {
        declaration.baseline.flatMap { type in declaration.schemas.firstIndex { $0 == type } }
    }

    /// Checks that the baseline is one of the plan's versions: a request that names no version must mean one that the
    /// server knows.
    private mutating func checkBaseline() {
        guard let type = declaration.baseline, baseline == nil else { return }
        problems.append(
            PlanProblem(
                code: .unknownBaseline, subject: "\(type)", message: "the baseline is not one of the plan's versions",
                remedy: "Add it to `schemas`, or name as the baseline a version that is there."))
    }

    /// Checks that there is one stage for every pair of neighbouring versions, in order, and no other stage.
    private mutating func checkStages() {
        let types = declaration.schemas
        for index in types.indices.dropLast() {
            let (from, to) = (types[index], types[index + 1])
            let matching = declaration.stages.filter { $0.from == from && $0.to == to }
            guard let stage = matching.first, matching.count == 1 else {
                let message = matching.isEmpty ? "there is no stage between them" : "there are \(matching.count) stages"
                problems.append(
                    PlanProblem(
                        code: .missingStage, subject: "\(schemas[index].version) → \(schemas[index + 1].version)",
                        message: message,
                        remedy:
                            "Write one `.lightweight(fromVersion: \(from).self, toVersion: \(to).self)`, or `.custom`.")
                )
                continue
            }
            var compiler = StageCompiler(older: schemas[index], newer: schemas[index + 1], kind: stage.kind)
            stages.append(compiler.compile())
            problems += compiler.problems
        }
        for stage in declaration.stages where !isNeighbouring(stage) {
            problems.append(
                PlanProblem(
                    code: .wrongStage, subject: "\(stage.from) → \(stage.to)",
                    message: "these two are not neighbours in `schemas`",
                    remedy: "Remove the stage, or add the missing version to `schemas`."))
        }
    }

    private mutating func checkVariants() {
        var check = VariantCheck(declaration, schemas: schemas, identities: identities)
        check.run()
        (variantShapes, variants) = (check.shapes, check.variants)
        stages += check.stages
        problems += check.problems
    }

    private func isNeighbouring(_ stage: MigrationStage) -> Bool {
        zip(declaration.schemas, declaration.schemas.dropFirst()).contains { $0 == stage.from && $1 == stage.to }
    }

    /// Checks that no entity gets a name that an older version used for another entity. An old client would otherwise
    /// read the wrong entity under that name.
    ///
    /// Also checks that no entity is synced again after a version in which it was local to the device. The server does
    /// not know how the devices changed its records in the meantime.
    private mutating func checkReusedNames() {
        var owners: [String: String] = [:]
        var current: [String: String] = [:]
        var published: Set<String> = []
        var withdrawn: Set<String> = []
        for schema in schemas {
            let renamed = Set(schema.entities.compactMap(\.originalName))
            var next: [String: String] = [:]
            for entity in schema.entities {
                let before = current[entity.originalName ?? entity.name]
                let isSame = entity.originalName != nil || !renamed.contains(entity.name)
                let identity = isSame ? before ?? entity.name : entity.name
                let owner = owners[entity.name]
                if owner != nil, owner != identity || before == nil || !isSame {
                    reportReuse(of: entity, in: schema, "an older version used this name for another entity")
                } else if entity.scope == .synced, withdrawn.contains(identity) {
                    reportReuse(of: entity, in: schema, "it was synced once, and local in a version since")
                }
                switch entity.scope {
                case .synced: published.insert(identity)
                case .local: if published.contains(identity) { withdrawn.insert(identity) }
                }
                next[entity.name] = identity
                owners[entity.name] = identity
            }
            current = next
            identities.append(next)
        }
    }

    private mutating func reportReuse(of entity: Schema.Entity, in schema: Schema, _ message: String) {
        problems.append(
            PlanProblem(
                code: .reusedName, subject: "\(entity.name), \(schema.version)", message: message,
                remedy: "Give the new entity a name that no version has used."))
    }
}
