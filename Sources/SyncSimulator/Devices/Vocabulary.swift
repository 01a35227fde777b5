import WireFormats

/// What the app of one version knows: its entities, their attributes, and values for them. Compiled once.
struct Vocabulary: Sendable {
    /// A kind of record in one version.
    struct Entity: Sendable {
        let name: String
        /// The same for all versions of the entity.
        let identity: Int
        /// The id that its one record has in every space.
        let singleton: ID?
        /// What ids are in; `nil` where the version has UUIDs.
        let texts: TextNames.Domain?
        let fields: [Field]
        let generator: RecordGenerator

        /// The attributes that the version knows to be counters.
        var counters: [String] { fields.filter(\.counts.here).map(\.name) }
    }

    /// What a change may say of a record.
    struct Field: Sendable {
        let name: String
        let type: AttributeType
        /// What it is when it travels.
        let wireType: AttributeType
        /// What its target's ids are in; `nil` where the version has UUIDs, and of what is no reference.
        let texts: TextNames.Domain?
        /// What the app's model begins with; `nil` where that depends on the record, or must be said.
        let initial: Value?
        /// Whether a create may leave it out.
        let isOmissible: Bool
        /// The identity of the entity that it refers to.
        let target: Int?
        /// Whether the version knows that it is a counter, and that some version does.
        let counts: (here: Bool, somewhere: Bool)

        /// Whether the attribute may have a value that an older version's had: not null where something must be, nor a
        /// case that there is no more.
        func fits(_ value: Value) -> Bool {
            if value.isNull { return type.isOptional }
            guard case .enumeration(_, let cases) = type.kind, case .string(let text) = value else { return true }
            return cases.contains(text)
        }
    }

    /// A place in the plan's `shapes`.
    let place: Int
    /// As in the header `Schema-Version`.
    let header: String
    let entities: [Entity]
    private let places: [String: Int]

    init(_ plan: Plan, _ place: Int) {
        self.place = place
        let schema = plan.shapes[place]
        header = "\(schema.version);fp=\(schema.fingerprint)"
        entities = schema.entities.filter { $0.scope == .synced }.compactMap { entity in
            guard let projection = plan.projection(version: place, named: entity.name),
                let generator = RecordGenerator(plan, of: entity.name, in: place)
            else { return nil }
            let fields = entity.fields.map { field in
                let initial: Value? =
                    if let standard = field.default {
                        standard.constant(for: field.type.kind)
                    } else if field.type.isOptional { .null } else { nil }
                var (target, texts) = (Int?.none, TextNames.Domain?.none)
                if case .reference(let name) = field.type.kind {
                    target = plan.projection(version: place, named: name)?.entity
                    texts = schema.entity(name).flatMap { Vocabulary.texts(of: $0, target, plan) }
                }
                let compiled = projection.field(named: field.name).map { projection.fields[$0] }
                let policy = compiled.map { plan.hub.entities[projection.entity].units[$0.unit].rule.policy }
                return Field(
                    name: field.name, type: field.type, wireType: schema.wireType(of: field), texts: texts,
                    initial: initial,
                    isOmissible: field.type.isOptional || field.default != nil, target: target,
                    counts: (compiled?.merge == .counter, policy == .counter))
            }
            return Entity(
                name: entity.name, identity: projection.entity,
                singleton: plan.hub.entities[projection.entity].singleton,
                texts: Vocabulary.texts(of: entity, projection.entity, plan), fields: fields, generator: generator)
        }
        places = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.name, $0) })
    }

    private static func texts(of entity: Schema.Entity, _ place: Int?, _ plan: Plan) -> TextNames.Domain? {
        guard let place, entity.identityType == .string else { return nil }
        return TextNames.Domain(app: plan.app, entity: plan.hub.entities[place].identity)
    }

    func entity(_ name: String) -> Entity? {
        places[name].map { entities[$0] }
    }
}
