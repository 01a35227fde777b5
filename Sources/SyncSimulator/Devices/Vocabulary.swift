import WireFormats

/// The entities and attributes in one version of an app, with generators for their values. It is compiled once.
struct Vocabulary: Sendable {
    /// An entity in one version.
    struct Entity: Sendable {
        let name: String
        /// The entity's index in the hub (the shape of the server's tables), which is equal in all versions.
        let identity: Int
        /// The id of the singleton's only record in every space; `nil` if the entity is no singleton.
        let singleton: ID?
        /// The namespace of the entity's text ids; `nil` if the version uses UUIDs.
        let texts: TextNames.Domain?
        let fields: [Field]
        let generator: RecordGenerator

        /// The attributes that are counters in this version.
        var counters: [String] { fields.filter(\.counts.here).map(\.name) }
    }

    /// An attribute or reference that a change may set.
    struct Field: Sendable {
        let name: String
        let type: AttributeType
        /// The type of the value on the wire.
        let wireType: AttributeType
        /// The namespace of the target's text ids; `nil` if the version uses UUIDs, or if the field is no reference.
        let texts: TextNames.Domain?
        /// The initial value in the app's model; `nil` if it depends on the record, or if the field is required and has
        /// no default.
        let initial: Value?
        /// True if a `create` may omit the field.
        let isOmissible: Bool
        /// The hub index of the entity that the field refers to; `nil` if the field is no reference.
        let target: Int?
        /// `here` is true if the attribute is a counter in this version; `somewhere`, if it is one in any version.
        let counts: (here: Bool, somewhere: Bool)

        /// True if the attribute allows this value, which an older version wrote: null only if the attribute is
        /// optional, and an enumeration case only if it still exists.
        func fits(_ value: Value) -> Bool {
            if value.isNull { return type.isOptional }
            guard case .enumeration(_, let cases) = type.kind, case .string(let text) = value else { return true }
            return cases.contains(text)
        }
    }

    /// An index into the plan's `shapes`.
    let index: Int
    /// The version as in the header `Schema-Version`.
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
