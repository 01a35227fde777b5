import StrictJSON
import WireFormats

/// The description of an entity that a device uses to read and write records. It is compiled once per version.
struct RecordKind: Sendable {
    /// An attribute or a to-one relationship, as it is sent and received.
    struct Field: Sendable {
        let name: String
        let type: AttributeType
        /// The type in JSON: the same as `type`, except that a reference has the type of its target's ids.
        let wireType: AttributeType
        /// The entity that a to-one relationship refers to; `nil` for an attribute.
        let target: String?
        /// The value of the field in a record that is created without it. `nil` if the default depends on the record,
        /// so that only the server knows it; also `nil` if the field is required and has no default.
        let initial: Value?
        /// The value that is shown until the server sends the real one, for a field whose default only the server
        /// knows.
        let placeholder: Value
        let isCounter: Bool
        /// True if a creation may leave out this attribute, because it is optional or has a default.
        let isOmissible: Bool
    }

    let name: String
    let identityType: Schema.IdentityType
    let fields: [Field]
    let counters: Set<String>
    private let indexByName: [String: Int]
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
        indexByName = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($1.name, $0) })
        keys = JSONKeyTable(fields.map(\.name))
    }

    func field(_ name: String) -> Field? { indexByName[name].map { fields[$0] } }

    /// Reads a record's values, by field, from a JSON object. Members that the version does not have are left out.
    ///
    /// - Throws: `ValueReader.Failure` for a value that its field cannot have.
    func read(_ object: JSONNode) throws(ValueReader.Failure) -> [String: Value] {
        guard let members = object.members else { return [:] }
        var read: [String: Value] = [:]
        read.reserveCapacity(fields.count)
        var expected = 0
        for member in members {
            guard let index = keys.position(of: member, expected: &expected) else { continue }
            read[fields[index].name] = try ValueReader.read(member.value, as: fields[index].wireType)
        }
        return read
    }

    /// Writes values, by field, as a JSON object in which the fields are in the order of their declaration.
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
