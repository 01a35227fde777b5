/// The edits that one change makes to a record, in the order in which they were added. Each edit sets a different field
/// of one version.
///
/// The values are in an array of their own. If a creation sets every field in order, this array becomes the record's
/// row without a copy.
package struct FieldEdits: Sendable {
    private var values: [Value] = []
    /// The index of the field that each value belongs to. `nil` if the values belong to the first fields, in order.
    private var fields: [Int]?

    init(capacity: Int) {
        values.reserveCapacity(capacity)
    }

    package init(_ edits: [FieldEdit]) {
        self.init(capacity: edits.count)
        for edit in edits { append(edit.value, to: edit.field) }
    }

    /// Adds an edit.
    ///
    /// - Parameter field: an index in `Projection.fields` of a field that has no edit yet.
    mutating func append(_ value: Value, to field: Int) {
        if fields == nil, field != values.count { fields = Array(values.indices) }
        fields?.append(field)
        values.append(value)
    }

    /// Sorts the edits by field, because devices may send the fields in any order. Every field must have an edit.
    mutating func arrange() {
        guard let fields else { return }
        let sent = values
        for (index, field) in fields.enumerated() { values[field] = sent[index] }
        self.fields = nil
    }

    /// The values as an array in the order of the fields, if they belong to the first fields and were added in this
    /// order; otherwise `nil`.
    var inOrder: [Value]? { fields == nil ? values : nil }
}

extension FieldEdits: RandomAccessCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { values.count }
    package var count: Int { values.count }
    package var isEmpty: Bool { values.isEmpty }

    package subscript(index: Int) -> FieldEdit {
        FieldEdit(field: fields?[index] ?? index, value: values[index])
    }
}

extension FieldEdits: ExpressibleByArrayLiteral {
    package init(arrayLiteral edits: FieldEdit...) { self.init(edits) }
}
