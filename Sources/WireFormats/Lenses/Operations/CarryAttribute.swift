/// An attribute that both versions have, perhaps under another name or with another type. One column stores it for
/// both. If the types differ, the column has the type that can express more values, and the other version's value is
/// computed.
struct CarryAttribute: LensOperation {
    let from: Schema.Attribute
    let to: Schema.Attribute
    /// The steps that compute the older version's value from the column; empty if the older version reads the column as
    /// it is.
    let olderSteps: [ViewStep]
    /// The steps that compute the newer version's value from the column; empty if the newer version reads the column as
    /// it is.
    let newerSteps: [ViewStep]

    var older: [String] { [from.name] }
    var newer: [String] { [to.name] }
    var fidelity: Fidelity { olderSteps.isEmpty && newerSteps.isEmpty ? .exact : .projecting }
    var summary: String {
        let merging = from.merge == to.merge ? "" : ", merge \(from.merge.rawValue) → \(to.merge.rawValue)"
        let types = from.type == to.type && !merging.isEmpty ? "\(to.type)" : "\(from.type) → \(to.type)"
        return (from.name == to.name ? "\(to.name): \(types)" : "\(from.name) → \(to.name): \(to.type)") + merging
    }

    var consequence: String? {
        if let last = olderSteps.last { return "read \(last.reading)" }
        if from.merge != to.merge { return "have their edits of \(from.name) merged by \(to.merge.rawValue) too" }
        return from.name == to.name ? nil : "call it \(from.name)"
    }

    func up(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value] {
        [try newerSteps.narrowed(olderSteps.widened(values[0]))]
    }

    func down(_ values: [Value], in record: RecordContext) throws(LensFailure) -> [Value] {
        [try olderSteps.narrowed(newerSteps.widened(values[0]))]
    }

    func place(in hub: inout HubEntityBuilder) {
        hub.carry(self)
    }
}
