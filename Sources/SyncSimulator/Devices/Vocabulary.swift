import WireFormats

/// The entities and attributes in one version of an app, with generators for their values. It is compiled once for each
/// version.
struct Vocabulary: Sendable {
    /// An entity in one version.
    struct Entity: Sendable {
        let name: String
        /// The entity's index in the hub (the structure of the server's tables). It is the same in all versions.
        let identity: Int
        /// The id of the entity's only record in each space, if the entity is a singleton; otherwise `nil`.
        let singleton: ID?
        /// The namespace of the entity's text ids; `nil` if its ids are UUIDs in this version.
        let texts: TextNames.Domain?
        let fields: [Field]
        let generator: RecordGenerator

        /// The names of the attributes that are counters in this version.
        var counters: [String] { fields.filter(\.counts.here).map(\.name) }
    }

    /// An attribute or reference that a change may set.
    struct Field: Sendable {
        let name: String
        let type: AttributeType
        /// The type that the value has in requests and responses.
        let wireType: AttributeType
        /// The namespace of the text ids of the entity that the field refers to; `nil` if those ids are UUIDs in this
        /// version, or if the field is no reference.
        let texts: TextNames.Domain?
        /// The value that the attribute has in a new record, by the app's model.
        ///
        /// `nil` if this value is not the same in every record, or if the field is required and has no default.
        let initial: Value?
        /// True if a creation need not contain the field.
        let isOmissible: Bool
        /// The index in the hub (the structure of the server's tables) of the entity that the field refers to; `nil` if
        /// the field is no reference.
        let target: Int?
        /// `here` is true if the attribute is a counter in this version. `somewhere` is true if it is a counter in at
        /// least one version of the plan.
        let counts: (here: Bool, somewhere: Bool)

        /// Returns true if the attribute allows a value that an older version wrote. It allows null only if it is
        /// optional, and an enumeration case only if the case still exists.
        func fits(_ value: Value) -> Bool {
            if value.isNull { return type.isOptional }
            guard case .enumeration(_, let cases) = type.kind, case .string(let text) = value else { return true }
            return cases.contains(text)
        }
    }

    /// The version's index in the plan's `shapes`.
    let index: Int
    /// The version as it is written in the header `Schema-Version`.
    let header: String
    let entities: [Entity]
    private let indexByName: [String: Int]

    init(_ plan: Plan, _ index: Int) {
        self.index = index
        let schema = plan.shapes[index]
        header = "\(schema.version);fp=\(schema.fingerprint)"
        entities = schema.entities.filter { $0.scope == .synced }.compactMap { entity in
            guard let projection = plan.projection(version: index, named: entity.name),
                let generator = RecordGenerator(plan, of: entity.name, in: index)
            else { return nil }
            let fields = entity.fields.map { field in
                let initial: Value? =
                    if let standard = field.default {
                        standard.constant(for: field.type.kind)
                    } else if field.type.isOptional { .null } else { nil }
                var (target, texts) = (Int?.none, TextNames.Domain?.none)
                if case .reference(let name) = field.type.kind {
                    target = plan.projection(version: index, named: name)?.entity
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
        indexByName = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.name, $0) })
    }

    private static func texts(of entity: Schema.Entity, _ index: Int?, _ plan: Plan) -> TextNames.Domain? {
        guard let index, entity.identityType == .string else { return nil }
        return TextNames.Domain(app: plan.app, entity: plan.hub.entities[index].identity)
    }

    func entity(_ name: String) -> Entity? {
        indexByName[name].map { entities[$0] }
    }
}
