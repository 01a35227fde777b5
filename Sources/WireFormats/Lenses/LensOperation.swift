/// One operation of a stage on an entity's attributes, in both directions. A stage leads from one shape (version or
/// historical variant) to the next.
///
/// `up` and `down` define the operation's effect on values. The compiled plan is tested against them (law 5). `place`
/// gives the newer attributes their columns in the hub, from which the projections are compiled.
protocol LensOperation: Sendable {
    /// The attributes of the older version that the operation reads.
    var older: [String] { get }
    /// The attributes of the newer version that the operation produces.
    var newer: [String] { get }
    var fidelity: Fidelity { get }
    /// A description for people: `quantity → quantity, unit by QuantityText`.
    var summary: String { get }
    /// The effect of the change on clients of the older version and of those before it, such as ‘do not see it’. It is
    /// the end of a sentence about these clients. `nil` if nothing changes for them.
    var consequence: String? { get }

    /// Converts the older version's values to the newer's, in the order of `newer`.
    func up(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value]
    /// Converts the newer version's values to the older's, in the order of `older`.
    func down(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value]
    /// Assigns a column of the hub to each attribute of the newer version.
    func place(in hub: inout HubEntityBuilder)
}

/// The properties of a new record on which a default may depend.
struct RecordContext: Sendable {
    let id: ID
    /// The wall time in the stamp of the change that creates the record. A translation never reads a clock, so that it
    /// gives the same result whenever it is repeated (law 10).
    let createdAt: Timestamp
}

extension Default? {
    /// The initial value of an attribute of `type` in a record that is created without one. Never fails: a required
    /// attribute without a default gets its type's zero.
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
