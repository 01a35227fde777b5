import StrictJSON
import WireFormats

/// Reads the changes of counters: increments, and totals from versions in which the attribute is not a counter.
extension ChangeReader {
    /// Removes the counters from `edits`, and returns the changes of counters: those from `edits`, and the increments
    /// in `node`.
    ///
    /// - Parameter node: the member `increments` of the change; `nil` if it has none.
    func counts(
        _ node: JSONNode?, takingFrom edits: inout FieldEdits, of projection: Projection, _ source: CountSource
    ) throws(Rejection) -> [Change.Count] {
        // Most entities have no counter.
        if node == nil, !plan.hub.entities[projection.entity].hasCounters { return [] }
        var counts: [Change.Count] = []
        var others: [FieldEdit] = []
        for edit in edits {
            let field = projection.fields[edit.field]
            guard isCounter(field, of: projection), case .int(let value) = edit.value else {
                others.append(edit)
                continue
            }
            if source.operation == .create || mode == .imported {
                counts.append(Change.Count(field: edit.field, amount: .beginning(value)))
            } else if field.merge != .counter {
                counts.append(Change.Count(field: edit.field, amount: .total(value)))
            } else if mode != .whole {
                throw Rejection(
                    code: .counterSet,
                    detail: "\(field.name) is a counter: send what was added to it, as "
                        + "\"increments\": {\"\(field.name)\": 1} beside ‘fields’.")
            }
        }
        edits = FieldEdits(others)
        guard let node, !node.isNull else { return counts }
        guard let members = node.members else {
            throw Rejection(code: .malformedChange, detail: "‘increments’ must be an object.")
        }
        if members.isEmpty { return counts }
        try check(source)
        for member in members {
            counts.append(try increment(member, of: projection))
        }
        return counts
    }

    /// The operation and the stamp of a change, which decide if it may have increments.
    struct CountSource {
        let operation: Change.Operation
        let stamp: Stamp?
    }

    /// Checks that a change with increments has a stamp and a device. Without either, a retry could not be told from
    /// another increment.
    private func check(_ source: CountSource) throws(Rejection) {
        if source.operation == .delete {
            throw Rejection(code: .malformedChange, detail: "A delete has no increments.")
        }
        if source.stamp == nil {
            throw Rejection(
                code: .missingStamp, detail: "An increment needs a ‘stamp’, by which its retry is known.")
        }
        if !hasDevice {
            throw Rejection(
                code: .missingDevice,
                detail: "An increment needs the header ‘Device-Id’: other devices may have the same stamp.")
        }
    }

    private func increment(_ member: JSONMember, of projection: Projection) throws(Rejection) -> Change.Count {
        guard let name = member.name, let index = projection.field(named: name) else {
            throw Rejection(
                code: .unknownAttribute,
                detail: "\(projection.name) of version \(plan.name(of: projection.version)) has no attribute "
                    + "‘\(shortened(member.key))’ to count.")
        }
        guard isCounter(projection.fields[index], of: projection) else {
            throw Rejection(
                code: .notACounter, detail: "\(name) is no counter: send its new value in ‘fields’.")
        }
        guard let amount = member.value.int64 else {
            throw Rejection(code: .wrongType, detail: "The increment of \(name) must be a JSON integer of 64 bits.")
        }
        return Change.Count(field: index, amount: .increment(amount))
    }

    private func isCounter(_ field: Projection.Field, of projection: Projection) -> Bool {
        plan.hub.entities[projection.entity].units[field.unit].rule.policy == .counter
    }
}
