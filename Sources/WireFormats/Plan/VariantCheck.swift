/// Checks the historical variants of a plan (other shapes that were shipped under a version's number) and compiles the
/// stages that lead to them. The plan's versions must have been checked before.
struct VariantCheck {
    let declaration: any SchemaMigrationPlan.Type
    /// The plan's versions.
    let schemas: [Schema]
    /// By version, then by an entity's name in that version: the entity's identity, which is the name that it had
    /// first.
    let identities: [[String: String]]
    private(set) var shapes: [Schema] = []
    private(set) var stages: [Stage] = []
    private(set) var variants: [ShapeTree.Variant] = []
    private(set) var problems: [PlanProblem] = []

    init(_ declaration: any SchemaMigrationPlan.Type, schemas: [Schema], identities: [[String: String]]) {
        self.declaration = declaration
        self.schemas = schemas
        self.identities = identities
    }

    mutating func run() {
        for variant in declaration.historicalVariants {
            guard let canonical = index(of: variant.canonical, named: "canonical version", of: variant),
                let addedWith = index(of: variant.addedWith, named: "version it was added with", of: variant)
            else { continue }
            let shape = resolved(variant)
            checkNumber(shape, of: variant, canonical: schemas[canonical])
            checkAge(of: variant, canonical: canonical, addedWith: addedWith)
            checkFingerprint(shape, of: variant)
            shapes.append(shape)
            guard problems.isEmpty else { continue }
            compile(shape, variant, canonical: canonical, addedWith: addedWith)
        }
        guard problems.isEmpty else { return }
        checkNames()
    }

    private mutating func report(_ code: PlanProblem.Code, _ subject: String, _ message: String, _ remedy: String) {
        problems.append(PlanProblem(code: code, subject: subject, message: message, remedy: remedy))
    }

    private mutating func index(
        of type: any VersionedSchema.Type, named role: String, of variant: HistoricalVariant
    ) -> Int? {
        if let index = declaration.schemas.firstIndex(where: { $0 == type }) { return index }
        report(
            .unknownCanonical, "\(variant.schema)", "its \(role), \(type), is not one of the plan's versions",
            "Name a version of `schemas`, or add \(type) to it.")
        return nil
    }

    private mutating func resolved(_ variant: HistoricalVariant) -> Schema {
        let (schema, found) = Schema.resolving(variant.schema)
        let (completed, unpaired) = schema.pairingInverses()
        problems += found + unpaired + SchemaCheck(completed).problems
        return completed
    }

    /// Checks that the variant has the number of its canonical version. A client states the number first, and the
    /// fingerprint only distinguishes shapes with the same number.
    private mutating func checkNumber(_ shape: Schema, of variant: HistoricalVariant, canonical: Schema) {
        guard shape.version != canonical.version else { return }
        let isOther = schemas.contains { $0.version == shape.version }
        report(
            .variantNumber, "\(variant.schema), \(shape.version)",
            "its number is \(isOther ? "another version's" : "no version's"), not that of \(variant.canonical), "
                + "\(canonical.version)",
            isOther
                ? "Write `of:` the version whose number it has, or correct its `versionIdentifier`."
                : "Add it to `schemas` if it is a version, or correct its `versionIdentifier`.")
    }

    private mutating func checkAge(of variant: HistoricalVariant, canonical: Int, addedWith: Int) {
        guard addedWith < canonical else { return }
        report(
            .variantAge, "\(variant.schema)",
            "it was added with \(variant.addedWith), when \(variant.canonical) was not there yet",
            "Write `addedWith:` the newest version that the plan had when the variant was added to it.")
    }

    private mutating func checkFingerprint(_ shape: Schema, of variant: HistoricalVariant) {
        let others =
            zip(declaration.schemas, schemas).map { (type: $0, schema: $1) }
            + zip(declaration.historicalVariants.map(\.schema), shapes).map { (type: $0, schema: $1) }
        guard let same = others.first(where: { $0.schema.fingerprint == shape.fingerprint }) else { return }
        report(
            .sameFingerprint, "\(variant.schema), \(shape.version)",
            "its fingerprint is that of \(same.type), so nothing could tell their clients apart",
            "Declare what was different, or remove the variant: clients of that shape are served already.")
    }

    private mutating func compile(_ shape: Schema, _ variant: HistoricalVariant, canonical: Int, addedWith: Int) {
        var compiler = StageCompiler(
            older: schemas[canonical], newer: shape, kind: variant.kind, variant: "\(variant.schema)")
        stages.append(compiler.compile())
        variants.append(ShapeTree.Variant(canonical: canonical, addedWith: addedWith))
        problems += compiler.problems
    }

    /// Checks that a name means the same entity in all shapes. Otherwise a person who reads a log or a file of one
    /// shape could take its entity for that of another shape.
    private mutating func checkNames() {
        var owners = identities.reduce(into: [:]) { owners, names in owners.merge(names) { $1 } }
        for (shape, (variant, stage)) in zip(shapes, zip(variants, stages)) {
            for entity in shape.entities where entity.scope == .synced {
                let before = stage.entities.first { $0.newer == entity.name }?.older
                let identity = before.flatMap { identities[variant.canonical][$0] }
                if let owner = owners[entity.name], owner != identity {
                    report(
                        .reusedName, "\(entity.name), \(shape.version)",
                        "another shape of the plan uses this name for another entity",
                        "Declare it with `originalName:` if it is the one that \(shape.version) calls otherwise; if "
                            + "not, give the newer of the two a name that no shape has used.")
                }
                owners[entity.name] = identity ?? entity.name
            }
        }
    }
}
