import WireFormats

/// What a device knows of an entity: compiled once, used for each record.
struct RecordKind: Sendable {
    /// An attribute or a to-one relationship, as it travels.
    struct Field: Sendable {
        let name: String
        let type: AttributeType
        /// The same, but that a reference is whatever its target's ids are.
        let wireType: AttributeType
        /// The entity that it refers to.
        let target: String?
        /// What a record begins with that is created without it; `nil` where only the server knows, because the default
        /// depends on the record, or where there must be a value and is none.
        let initial: Value?
        /// What is shown where only the server knows, until it tells.
        let placeholder: Value
        let isCounter: Bool
        /// Whether a creation may leave it out.
        let isOmissible: Bool
    }

    let name: String
    let identityType: Schema.IdentityType
    let fields: [Field]
    let counters: Set<String>
    private let places: [String: Int]
    private let keys: JSONKeyTable

    init(_ entity: Schema.Entity, in schema: Schema) {
        name = entity.name
        identityType = entity.identityType
        fields = entity.fields.map { field in
            var target: String?
            if case .reference(let entity) = field.type.kind { target = entity }
            return Field(
                name: field.name, type: field.type, wireType: schema.wireType(of: field), target: target,
                initial: field.default == nil
                    ? (field.type.isOptional ? .null : nil) : field.default?.constant(for: field.type.kind),
                placeholder: field.type.isOptional ? .null : field.type.kind.zero,
                isCounter: field.merge == .counter, isOmissible: field.type.isOptional || field.default != nil)
        }
        counters = Set(fields.filter(\.isCounter).map(\.name))
        places = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
        keys = JSONKeyTable(fields.map(\.name))
    }

    func field(_ name: String) -> Field? { places[name].map { fields[$0] } }

    /// Reads an object of fields; members that are none of the version's are left out.
    ///
    /// - Throws: `ValueReader.Failure` for a value that its field cannot have.
    func read(_ object: JSONNode) throws(ValueReader.Failure) -> [String: Value] {
        guard let members = object.members else { return [:] }
        var read: [String: Value] = [:]
        read.reserveCapacity(fields.count)
        var expected = 0
        for member in members {
            guard let place = keys.position(of: member, expected: &expected) else { continue }
            read[fields[place].name] = try ValueReader.read(member.value, as: fields[place].wireType)
        }
        return read
    }

    /// Writes an object of fields in declared order.
    func write(_ values: [String: Value], to writer: inout JSONWriter) {
        writer.beginObject()
        for field in fields {
            guard let value = values[field.name] else { continue }
            writer.key(field.name)
            writer.value(value)
        }
        writer.endObject()
    }
}
