/// Compiles a checked plan into the structure of the server's tables (the hub), and into a projection for each entity
/// of each version. A projection translates between the records of a version and the rows of a table.
struct HubCompiler {
    let app: String
    let tree: ShapeTree

    private var schemas: [Schema] { tree.shapes }

    func compile() -> (Hub, [[Projection?]]) {
        let lineages = traceLineages()
        var hubEntities: [HubEntity] = []
        for (index, lineage) in lineages.enumerated() {
            let introduced = tree.version(of: lineage.builder.first)
            let table = snakeCase(lineage.builder.identity, version: introduced) { name in
                hubEntities.contains { $0.table == name }
            }
            hubEntities.append(hubEntity(of: lineage, at: index, table: table, lineages: lineages))
        }
        let projections = schemas.indices.map { shape in
            lineages.enumerated().map { index, lineage in
                lineage.names[shape].map {
                    projection(of: lineage, named: $0, shape: shape, entity: hubEntities[index])
                }
            }
        }
        return (Hub(schema: app, entities: hubEntities), projections)
    }

    /// The history of one entity through all versions and historical variants, including its renamings.
    private struct Lineage {
        var builder: HubEntityBuilder
        /// By shape (version or historical variant): the entity's name in it; `nil` if the shape does not sync the
        /// entity.
        var names: [String?]
        /// By stage: the operations that add or remove an attribute of the entity. Operations that keep an attribute
        /// are left out.
        var differences: [[any LensOperation]]
    }

    private func traceLineages() -> [Lineage] {
        var lineages = schemas[0].entities.filter { $0.scope == .synced }.map { newLineage(of: $0, in: 0) }
        for shape in tree.growth.dropFirst() {
            let stage = tree.stages[shape - 1]
            let origin = tree.origin(of: shape - 1)
            for index in lineages.indices {
                let step = stage.entities.first { $0.older != nil && $0.older == lineages[index].names[origin] }
                lineages[index].differences[shape - 1] =
                    step?.operations.filter { $0 is AddAttribute || $0 is RemoveAttribute } ?? []
                guard let step, let newer = step.newer else { continue }
                lineages[index].builder.advance(from: origin, to: shape, by: step.operations)
                lineages[index].names[shape] = newer
            }
            for step in stage.entities where step.older == nil {
                guard let entity = step.newer.flatMap(schemas[shape].entity) else { continue }
                lineages.append(newLineage(of: entity, in: shape))
            }
        }
        return lineages
    }

    private func newLineage(of entity: Schema.Entity, in shape: Int) -> Lineage {
        var names: [String?] = Array(repeating: nil, count: schemas.count)
        names[shape] = entity.name
        return Lineage(
            builder: HubEntityBuilder(entity, in: shape, versions: schemas.indices.map(tree.version)), names: names,
            differences: Array(repeating: [], count: tree.stages.count))
    }

    private func hubEntity(of lineage: Lineage, at index: Int, table: String, lineages: [Lineage]) -> HubEntity {
        let columns = lineage.builder.columns
        let units = mergeUnits(columns: columns.count, lineage: lineage)
        var unitOfColumn = Array(repeating: 0, count: columns.count)
        for (unitIndex, unit) in units.enumerated() {
            for column in unit.columns { unitOfColumn[column] = unitIndex }
        }
        let newest = newestAttributes(of: lineage)
        let standards = newest.map { attribute in
            attribute.flatMap { field, placement in
                try? placement.steps.widened(field.default?.constant(for: field.type.kind) ?? field.type.unsaid)
            } ?? .null
        }
        return HubEntity(
            identity: lineage.builder.identity, index: index, table: table, singleton: singleton(lineage),
            columns: columns, references: references(of: lineage, lineages: lineages), units: units,
            unitOfColumn: unitOfColumn, uniqueColumns: uniqueColumns(of: lineage), hasTextIDs: hasTextIDs(lineage),
            standards: standards,
            forms: newest.map { attribute in
                attribute.flatMap { field, placement in placement.steps.isEmpty ? WireForm(field.type) : nil }
            })
    }

    /// By column: the attribute that the column holds in the newest version that has the column, with its placement. A
    /// historical variant counts only for a column that no version has.
    private func newestAttributes(of lineage: Lineage) -> [(Schema.Attribute, Placement)?] {
        let (versions, variants) = (0..<tree.versions, tree.versions..<schemas.count)
        return lineage.builder.columns.indices.map { column in
            for shape in versions.reversed() + variants.reversed() {
                guard let entity = lineage.names[shape].flatMap(schemas[shape].entity) else { continue }
                for field in entity.fields {
                    guard let placement = lineage.builder.history[shape][field.name], placement.column == column else {
                        continue
                    }
                    return (field, placement)
                }
            }
            return nil
        }
    }

    /// The columns that the newest version declares unique. The server enforces this for the clients of all versions. A
    /// declaration that only older versions have is not enforced.
    private func uniqueColumns(of lineage: Lineage) -> [Int] {
        let newest = tree.versions - 1
        guard let entity = lineage.names[newest].flatMap(schemas[newest].entity) else { return [] }
        return entity.attributes.filter { $0.isUnique && $0.scope == .synced }.compactMap {
            lineage.builder.history[newest][$0.name]?.column
        }
    }

    /// The id of the one record of a singleton entity; `nil` for an entity with many records. It is derived from the
    /// entity's first name, so that a renaming keeps it. `PlanCheck` ensures that an entity is a singleton in all of
    /// its versions or in none.
    private func singleton(_ lineage: Lineage) -> ID? {
        guard schemas[lineage.builder.first].entity(lineage.builder.identity)?.multiplicity == .singleton else {
            return nil
        }
        return ID(high: 0, low: 0).derived(for: "\(app).\(lineage.builder.identity)")
    }

    private func hasTextIDs(_ lineage: Lineage) -> Bool {
        zip(schemas, lineage.names).contains { schema, name in
            name.flatMap(schema.entity)?.identityType == .string
        }
    }

    /// Returns the merge units (sets of columns that are merged as one), ordered by their first column. The columns
    /// that conversions link, directly or through others, are one unit. Every other column is a unit by itself.
    private func mergeUnits(columns: Int, lineage: Lineage) -> [HubEntity.MergeUnit] {
        var group = Array(0..<columns)
        for joint in lineage.builder.joints {
            let older = joint.operation.older.map { lineage.builder.history[joint.older][$0]!.column }
            let newer = joint.operation.newer.map { lineage.builder.history[joint.newer][$0]!.column }
            let merged = Set((older + newer).map { group[$0] })
            let first = merged.min()!
            for column in 0..<columns where merged.contains(group[column]) { group[column] = first }
        }
        return Dictionary(grouping: 0..<columns, by: { group[$0] }).sorted { $0.key < $1.key }.map {
            let rule = rule(for: $0.value, of: lineage)
            let parts = rule == .latest ? parts(of: $0.value, of: lineage) : []
            return HubEntity.MergeUnit(columns: $0.value, rule: rule, parts: parts)
        }
    }

    /// Returns the columns of each part of a merge unit; empty if the unit has no parts. A part is an attribute with a
    /// stamp of its own.
    ///
    /// A unit has parts if one stage links one attribute with several, and all other stages link one attribute with
    /// one. The several attributes are the parts. The columns of a part include those for its forms in other versions.
    private func parts(of columns: [Int], of lineage: Lineage) -> [[Int]] {
        var component = Dictionary(uniqueKeysWithValues: columns.map { ($0, $0) })
        var wide: [(older: [Int], newer: [Int])] = []
        for joint in lineage.builder.joints {
            let older = joint.operation.older.map { lineage.builder.history[joint.older][$0]!.column }
            let newer = joint.operation.newer.map { lineage.builder.history[joint.newer][$0]!.column }
            guard columns.contains(older[0]) else { continue }
            guard older.count == 1, newer.count == 1 else {
                wide.append((older, newer))
                continue
            }
            let (kept, gone) = (component[older[0]]!, component[newer[0]]!)
            for column in columns where component[column] == gone { component[column] = kept }
        }
        guard let (older, newer) = wide.first, wide.count == 1 else { return [] }
        let sides = [older, newer].map { side in Set(side.map { component[$0]! }) }
        guard let whole = sides.first(where: { $0.count == 1 }), let several = sides.first(where: { $0.count > 1 }),
            whole.isDisjoint(with: several), Set(component.values) == whole.union(several)
        else { return [] }
        return Dictionary(grouping: columns.filter { several.contains(component[$0]!) }, by: { component[$0]! })
            .values.sorted { $0[0] < $1[0] }
    }

    /// Returns the merge rule for a merge unit, as declared by the newest version that has an attribute in these
    /// columns. The declaration of a historical variant counts only if no version has such an attribute.
    private func rule(for columns: [Int], of lineage: Lineage) -> HubEntity.MergeRule {
        let (versions, variants) = (0..<tree.versions, tree.versions..<schemas.count)
        for shape in versions.reversed() + variants.reversed() {
            guard let entity = lineage.names[shape].flatMap(schemas[shape].entity) else { continue }
            let declared = entity.fields.compactMap { field -> (Schema.Attribute, column: Int)? in
                guard let placement = lineage.builder.history[shape][field.name], columns.contains(placement.column)
                else {
                    return nil
                }
                return (field, placement.column)
            }
            if declared.isEmpty { continue }
            let (attribute, column) = declared.first { $0.0.merge != .latest } ?? declared[0]
            return HubEntity.MergeRule(attribute, column: column)
        }
        return .latest
    }

    /// The entity's to-one relationships, in the order of their columns. If several versions declare a relationship,
    /// the newest declaration counts. The declaration of a historical variant counts only for a relationship that no
    /// version has.
    private func references(of lineage: Lineage, lineages: [Lineage]) -> [HubEntity.Reference] {
        var found: [Int: HubEntity.Reference] = [:]
        let (versions, variants) = (0..<tree.versions, tree.versions..<schemas.count)
        for version in Array(variants) + Array(versions) {
            guard let entity = lineage.names[version].flatMap(schemas[version].entity) else { continue }
            for relationship in entity.relationships where relationship.cardinality == .toOne {
                guard let placement = lineage.builder.history[version][relationship.name],
                    let target = lineages.firstIndex(where: { $0.names[version] == relationship.target })
                else { continue }
                let inverse = schemas[version].entity(relationship.target)?.relationships.first {
                    $0.name == relationship.inverse
                }
                found[placement.column] = HubEntity.Reference(
                    column: placement.column, target: target, diesWithTarget: inverse?.deleteRule == .cascade,
                    takesTargetAlong: relationship.deleteRule == .cascade, keepsTarget: inverse?.deleteRule == .deny,
                    isKeptByTarget: relationship.deleteRule == .deny)
            }
        }
        return found.values.sorted { $0.column < $1.column }
    }

    private func projection(of lineage: Lineage, named name: String, shape: Int, entity: HubEntity) -> Projection {
        let declared = schemas[shape].entity(name)!
        let placements = lineage.builder.history[shape]
        let fields = declared.fields.map { field in
            let placement = placements[field.name]!
            return Projection.Field(
                name: field.name, type: field.type, wireType: schemas[shape].wireType(of: field),
                default: field.default,
                merge: field.merge, column: placement.column, unit: entity.unitOfColumn[placement.column],
                steps: placement.steps)
        }
        let local =
            declared.attributes.filter { $0.scope == .local }.map(\.name)
            + declared.relationships.filter { $0.cardinality == .toMany }.map(\.name)
        let hops = tree.hops(from: shape)
        return Projection(
            version: shape, entity: entity.index, name: name, identity: declared.identity,
            identityType: declared.identityType, fields: fields, localNames: Set(local), columns: entity.columns.count,
            creation: hops.flatMap { creation(of: lineage, along: $0, entity: entity) },
            links: hops.flatMap { links(of: lineage, along: $0, entity: entity) })
    }

    private func links(of lineage: Lineage, along hop: ShapeTree.Hop, entity: HubEntity) -> [Projection.Link] {
        lineage.builder.joints.filter { $0.newer == hop.stage + 1 }.map { joint in
            let older = joint.operation.older.map { lineage.builder.history[joint.older][$0]! }
            let newer = joint.operation.newer.map { lineage.builder.history[joint.newer][$0]! }
            return Projection.Link(
                unit: entity.unitOfColumn[older[0].column], near: hop.isUpward ? older : newer,
                far: hop.isUpward ? newer : older,
                convert: hop.isUpward ? joint.operation.mapping.up : joint.operation.mapping.down)
        }
    }

    /// Returns the steps that give a new record its initial values in the columns of one more shape. A shape is a
    /// version or a historical variant.
    ///
    /// The compiler goes from the shape that creates the record to all others, one stage after the other, and calls
    /// this for each stage. Columns that already have their values from an earlier stage are not set again.
    ///
    /// - Parameter hop: the stage, and the direction in which the compiler goes through it.
    private func creation(
        of lineage: Lineage, along hop: ShapeTree.Hop, entity: HubEntity
    ) -> [Projection.CreationStep] {
        let far = hop.isUpward ? hop.stage + 1 : tree.origin(of: hop.stage)
        let placements = lineage.builder.history[far]
        var (fills, copies): ([Projection.CreationStep], [Projection.CreationStep]) = ([], [])
        for operation in lineage.differences[hop.stage] where lineage.names[far] != nil {
            switch operation {
            case let added as AddAttribute where hop.isUpward:
                let attribute = added.attribute
                fills.append(
                    .fill(placements[attribute.name]!, attribute.default, attribute.type, name: attribute.name))
            case let removed as RemoveAttribute where !hop.isUpward:
                let attribute = removed.attribute
                let standard = removed.substitute ?? attribute.default
                if case .attribute(let source) = standard {
                    copies.append(.copy(placements[attribute.name]!, from: placements[source]!))
                } else {
                    fills.append(.fill(placements[attribute.name]!, standard, attribute.type, name: attribute.name))
                }
            default: break
            }
        }
        // A copy reads its source as the older version has it, so copies come after everything else of the stage.
        return fills + links(of: lineage, along: hop, entity: entity).map { .link($0) } + copies
    }
}

extension HubEntity.MergeRule {
    fileprivate init(_ attribute: Schema.Attribute, column: Int) {
        switch (attribute.merge, attribute.type.kind) {
        case (.latest, _): self = .latest
        case (.max, _): self = .greatest(column: column)
        case (.min, _): self = .least(column: column)
        case (.union, .array(let element)):
            self = UnionOfElements(of: element).map { .union(column: column, $0) } ?? .latest
        case (.union, _): self = .latest
        case (.counter, _): self = .sum(column: column)
        }
    }
}
