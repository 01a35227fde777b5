/// Compiles a checked plan into the hub and the flat projections.
struct HubCompiler {
    let app: String
    let schemas: [Schema]
    let stages: [Stage]

    func compile() -> (Hub, [[Projection?]]) {
        let lives = traceLives()
        var hubEntities: [HubEntity] = []
        for (index, life) in lives.enumerated() {
            let introduced = life.names.firstIndex { $0 != nil } ?? 0
            let table = snakeCase(life.builder.identity, version: introduced) { name in
                hubEntities.contains { $0.table == name }
            }
            hubEntities.append(hubEntity(of: life, at: index, table: table, lives: lives))
        }
        let projections = schemas.indices.map { version in
            lives.enumerated().map { index, life in
                life.names[version].map {
                    projection(of: life, named: $0, version: version, entity: hubEntities[index])
                }
            }
        }
        return (Hub(schema: app, entities: hubEntities), projections)
    }

    /// One entity identity through all versions.
    private struct Life {
        var builder: HubEntityBuilder
        /// Its name in each version; `nil` where the version does not sync it.
        var names: [String?]
        /// The operations of each stage.
        var operations: [[any LensOperation]]
    }

    private func traceLives() -> [Life] {
        var lives = schemas[0].entities.filter { $0.scope == .synced }.map {
            Life(builder: HubEntityBuilder($0, version: 0), names: [$0.name], operations: [])
        }
        for (older, stage) in stages.enumerated() {
            for index in lives.indices {
                let step = stage.entities.first { $0.older != nil && $0.older == lives[index].names[older] }
                if let step, let newer = step.newer {
                    lives[index].builder.advance(by: step.operations)
                    lives[index].names.append(newer)
                } else {
                    lives[index].builder.skip()
                    lives[index].names.append(nil)
                }
                lives[index].operations.append(step?.operations ?? [])
            }
            for step in stage.entities where step.older == nil {
                guard let entity = step.newer.flatMap(schemas[older + 1].entity) else { continue }
                lives.append(
                    Life(
                        builder: HubEntityBuilder(entity, version: older + 1),
                        names: Array(repeating: nil, count: older + 1) + [entity.name],
                        operations: Array(repeating: [], count: older + 1)))
            }
        }
        return lives
    }

    private func hubEntity(of life: Life, at index: Int, table: String, lives: [Life]) -> HubEntity {
        let columns = life.builder.columns
        let units = mergeUnits(columns: columns.count, life: life)
        var unitOfColumn = Array(repeating: 0, count: columns.count)
        for (place, unit) in units.enumerated() {
            for column in unit.columns { unitOfColumn[column] = place }
        }
        return HubEntity(
            identity: life.builder.identity, index: index, table: table, singleton: singleton(life), columns: columns,
            references: references(of: life, lives: lives), units: units, unitOfColumn: unitOfColumn,
            uniqueColumns: uniqueColumns(of: life))
    }

    /// What older versions declare unique and the newest does not is not enforced any more, and the reverse is enforced
    /// for all.
    private func uniqueColumns(of life: Life) -> [Int] {
        guard let newest = schemas.indices.last, let entity = life.names[newest].flatMap(schemas[newest].entity)
        else { return [] }
        return entity.attributes.filter { $0.isUnique && $0.scope == .synced }.compactMap {
            life.builder.history[newest][$0.name]?.column
        }
    }

    /// From the entity's first name, so that a renaming leaves the record what it is. The plan's check sees to it that
    /// an entity is a singleton in all of its versions or in none.
    private func singleton(_ life: Life) -> ID? {
        guard let version = life.names.firstIndex(where: { $0 != nil }),
            schemas[version].entity(life.builder.identity)?.multiplicity == .singleton
        else { return nil }
        return ID(high: 0, low: 0).derived(for: "\(app).\(life.builder.identity)")
    }

    /// The columns that links join, and every other column by itself; ordered by their first column.
    private func mergeUnits(columns: Int, life: Life) -> [HubEntity.MergeUnit] {
        var group = Array(0..<columns)
        for joint in life.builder.joints {
            let older = joint.operation.older.map { life.builder.history[joint.stage][$0]!.column }
            let newer = joint.operation.newer.map { life.builder.history[joint.stage + 1][$0]!.column }
            let merged = Set((older + newer).map { group[$0] })
            let first = merged.min()!
            for column in 0..<columns where merged.contains(group[column]) { group[column] = first }
        }
        return Dictionary(grouping: 0..<columns, by: { group[$0] }).sorted { $0.key < $1.key }.map {
            HubEntity.MergeUnit(columns: $0.value)
        }
    }

    /// To-one relationships as the newest version that has each of them declares it.
    private func references(of life: Life, lives: [Life]) -> [HubEntity.Reference] {
        var found: [Int: HubEntity.Reference] = [:]
        for (version, name) in life.names.enumerated() {
            guard let entity = name.flatMap(schemas[version].entity) else { continue }
            for relationship in entity.relationships where relationship.cardinality == .toOne {
                guard let placement = life.builder.history[version][relationship.name],
                    let target = lives.firstIndex(where: { $0.names[version] == relationship.target })
                else { continue }
                let inverse = schemas[version].entity(relationship.target)?.relationships.first {
                    $0.name == relationship.inverse
                }
                found[placement.column] = HubEntity.Reference(
                    column: placement.column, target: target, diesWithTarget: inverse?.deleteRule == .cascade,
                    takesTargetAlong: relationship.deleteRule == .cascade)
            }
        }
        return found.values.sorted { $0.column < $1.column }
    }

    private func projection(of life: Life, named name: String, version: Int, entity: HubEntity) -> Projection {
        let declared = schemas[version].entity(name)!
        let places = life.builder.history[version]
        let fields = declared.fields.map { field in
            let place = places[field.name]!
            return Projection.Field(
                name: field.name, type: field.type, default: field.default, column: place.column,
                unit: entity.unitOfColumn[place.column], steps: place.steps)
        }
        let local =
            declared.attributes.filter { $0.scope == .local }.map(\.name)
            + declared.relationships.filter { $0.cardinality == .toMany }.map(\.name)
        return Projection(
            version: version, entity: entity.index, name: name, identity: declared.identity, fields: fields,
            localNames: Set(local), keys: JSONKeyTable(fields.map(\.name)),
            fieldsByName: Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) }),
            creation: creation(of: life, by: version, entity: entity),
            upward: (version..<stages.count).flatMap { links(of: life, at: $0, upward: true, entity: entity) },
            downward: (0..<version).reversed().flatMap { links(of: life, at: $0, upward: false, entity: entity) })
    }

    private func links(of life: Life, at stage: Int, upward: Bool, entity: HubEntity) -> [Projection.Link] {
        life.builder.joints.filter { $0.stage == stage }.map { joint in
            let older = joint.operation.older.map { life.builder.history[stage][$0]! }
            let newer = joint.operation.newer.map { life.builder.history[stage + 1][$0]! }
            return Projection.Link(
                unit: entity.unitOfColumn[older[0].column], near: upward ? older : newer, far: upward ? newer : older,
                convert: upward ? joint.operation.mapping.up : joint.operation.mapping.down)
        }
    }

    /// What a record created by `version` gets in the columns that the version does not have: stage by stage towards
    /// the newest, then stage by stage towards the oldest.
    private func creation(of life: Life, by version: Int, entity: HubEntity) -> [Projection.CreationStep] {
        var steps: [Projection.CreationStep] = []
        for stage in version..<stages.count {
            let places = life.builder.history[stage + 1]
            for case let added as AddAttribute in life.operations[stage] where life.names[stage + 1] != nil {
                let attribute = added.attribute
                steps.append(.fill(places[attribute.name]!, attribute.default, attribute.type, name: attribute.name))
            }
            steps += links(of: life, at: stage, upward: true, entity: entity).map { .link($0) }
        }
        for stage in (0..<version).reversed() {
            let places = life.builder.history[stage]
            var copies: [Projection.CreationStep] = []
            for case let removed as RemoveAttribute in life.operations[stage] where life.names[stage] != nil {
                let attribute = removed.attribute
                let standard = removed.substitute ?? attribute.default
                if case .attribute(let source) = standard {
                    copies.append(.copy(places[attribute.name]!, from: places[source]!))
                } else {
                    steps.append(.fill(places[attribute.name]!, standard, attribute.type, name: attribute.name))
                }
            }
            steps += links(of: life, at: stage, upward: false, entity: entity).map { .link($0) }
            // A copy reads its source as the older version has it, so it comes after everything else of the stage.
            steps += copies
        }
        return steps
    }
}
