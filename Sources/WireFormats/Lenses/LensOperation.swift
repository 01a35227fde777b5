/// One step of a stage between two neighbouring versions of an entity, in both directions: a small value.
///
/// It says two things. `up` and `down` say what it means, on plain values; they are the reference that the compiled
/// plan is tested against (law 5). `place` says where the hub keeps the attributes, from which the flat projections are
/// compiled.
protocol LensOperation: Sendable {
    /// The attributes of the older version that it consumes.
    var older: [String] { get }
    /// The attributes of the newer version that it produces.
    var newer: [String] { get }
    var fidelity: Fidelity { get }
    /// For people: `quantity → quantity, unit by QuantityText`.
    var summary: String { get }
    /// For people: what versions up to the older one read from here on. `nil` where they notice nothing.
    var consequence: String? { get }

    /// The newer version's values for the older's, in the order of `newer`.
    func up(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value]
    /// The older version's values for the newer's, in the order of `older`.
    func down(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value]
    /// Gives the newer version's attributes their columns.
    func place(in hub: inout HubEntityBuilder)
}

/// What a default may depend on: the record that is being created.
struct RecordContext: Sendable {
    let id: ID
    /// The wall time of the creating change's stamp. A translation never reads a clock (law 10).
    let createdAt: Timestamp
}

extension Default? {
    /// The value that an attribute of `type` starts with. Total: a required attribute without default gets its type's
    /// zero.
    func value(for type: AttributeType, named name: String, in record: RecordContext) -> Value {
        guard let self else { return type.isOptional ? .null : type.kind.zero }
        switch self {
        case .creation: return .date(record.createdAt)
        case .newID: return .uuid(record.id.derived(for: name))
        case .bool, .int, .double, .string, .json, .attribute:
            return self.constant(for: type.kind) ?? (type.isOptional ? .null : type.kind.zero)
        }
    }
}
