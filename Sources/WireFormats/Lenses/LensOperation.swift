/// One step of a stage between two neighbouring versions of an entity, in both directions: a small value.
///
/// It defines two things. `up` and `down` define its meaning on plain values; they are the reference that the compiled
/// plan is tested against (law 5). `place` defines the columns of the attributes in the hub, from which the flat
/// projections are compiled.
protocol LensOperation: Sendable {
    /// The attributes of the older version that the operation reads.
    var older: [String] { get }
    /// The attributes of the newer version that the operation produces.
    var newer: [String] { get }
    var fidelity: Fidelity { get }
    /// A description for people: `quantity → quantity, unit by QuantityText`.
    var summary: String { get }
    /// The effect on the reads of versions up to the older one, as text for people. `nil` if they notice nothing.
    var consequence: String? { get }

    /// Converts the older version's values to the newer's, in the order of `newer`.
    func up(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value]
    /// Converts the newer version's values to the older's, in the order of `older`.
    func down(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value]
    /// Gives the newer version's attributes their columns.
    func place(in hub: inout HubEntityBuilder)
}

/// The data that a default may depend on: the record that is being created.
struct RecordContext: Sendable {
    let id: ID
    /// The wall time of the creating change's stamp. A translation never reads a clock (law 10).
    let createdAt: Timestamp
}

extension Default? {
    /// The initial value of an attribute of `type`. Never fails: a required attribute without default gets its type's
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
