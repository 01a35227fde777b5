/// An attribute that both versions have. Its name may differ. If the forms of its values differ, one column contains
/// the richer form, and the other form is computed from it.
struct CarryAttribute: LensOperation {
    let from: Schema.Attribute
    let to: Schema.Attribute
    /// The steps that compute the older version's value from the column, which contains the richer of the two forms;
    /// empty if the value is the column's.
    let olderSteps: [ViewStep]
    /// The steps that compute the newer version's value from the column; empty if the value is the column's.
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
