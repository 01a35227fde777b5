import WireFormats

/// The order in which edits with equal stamps win. It depends on the edits' values only, so the result is the same in
/// whatever order the edits arrive. A repeated edit wins against itself and changes nothing.
///
/// The order is total: the place of a row (the column values of a record) follows from that row alone. A rule that
/// looks at two rows together could prefer a to b, b to c and c to a.
///
/// Two rows are compared in up to three steps. The next step is needed only if the rows are equal in the step before.
///
/// 1. Each row is compared in the form that is left after every version has read it and written it back. So a stored
///    value and the less precise form in which a version reads it are equal in this step.
/// 2. The more detailed row wins. The detail of a row is the number of different rows that versions can make from it by
///    reading it and writing it back. So a row never loses against a row that a version made from it.
/// 3. The rows are compared unchanged.
extension ConflictMerge {
    /// Returns true if an edit wins against the record's current values, although their stamps are equal. It wins if
    /// the row with the edit is later in the order of rows (described at this extension), or is equal.
    ///
    /// - Parameters:
    ///   - candidate: the record's row with the edit.
    ///   - current: the record's row without the edit.
    ///   - columns: the columns that are compared first: those of the merge unit, or of one part of it.
    ///   - others: the other columns of the merge unit, which decide if `columns` are equal.
    static func winsTie(
        _ candidate: [Value], _ current: [Value], of columns: [Int], before others: [Int] = [],
        _ readers: [Projection]
    ) -> Bool {
        let all = columns + others
        if all.allSatisfy({ candidate[$0] == current[$0] }) { return true }
        let (coarse, other) = (rewritten(current, all, readers), rewritten(candidate, all, readers))
        return precedes(coarse, other, in: columns, readers) ?? precedes(coarse, other, in: others, readers)
            ?? isRicher(candidate, than: current, all, readers)
            ?? precedes(current, candidate, in: columns, readers) ?? precedes(current, candidate, in: others, readers)
            ?? true
    }

    /// Returns the row after all versions, from the oldest to the newest, have read some of its columns and written
    /// them back.
    static func rewritten(_ row: [Value], _ columns: [Int], _ readers: [Projection]) -> [Value] {
        readers.reduce(row) { row, reader in written(back: row, columns, by: reader) ?? row }
    }

    /// Returns true if `row` is more detailed than `other`; `nil` if both are equally detailed. The detail of a row is
    /// the number of different rows that versions can make from it by reading some columns and writing them back,
    /// repeatedly.
    static func isRicher(
        _ row: [Value], than other: [Value], _ columns: [Int], _ readers: [Projection]
    ) -> Bool? {
        let counts = [row, other].map { forms(of: $0, columns, readers).count }
        return counts[0] == counts[1] ? nil : counts[0] > counts[1]
    }

    /// Returns the row itself and all different rows that versions make from it by reading some columns and writing
    /// them back, repeatedly.
    private static func forms(of row: [Value], _ columns: [Int], _ readers: [Projection]) -> [[Value]] {
        var forms = [row]
        var next = 0
        while next < forms.count, forms.count < formsMax {
            for reader in readers {
                guard let made = written(back: forms[next], columns, by: reader) else { continue }
                let isKnown = forms.contains { form in columns.allSatisfy { form[$0] == made[$0] } }
                if !isKnown { forms.append(made) }
            }
            next += 1
        }
        return forms
    }

    /// The most different rows that are made from one row, as a precaution. In practice there are fewer: a version that
    /// reads a row and writes it back can only remove detail.
    private static let formsMax = 32

    /// Returns the row that a version makes by reading some columns of a row and writing them back. `nil` if the
    /// version has none of the columns, or if its lenses cannot translate the values; then the version did not write
    /// them.
    private static func written(back row: [Value], _ columns: [Int], by reader: Projection) -> [Value]? {
        let edits = reader.fields.enumerated().filter { columns.contains($1.column) }.map { index, field in
            FieldEdit(field: index, value: field.view(row[field.column]))
        }
        if edits.isEmpty { return nil }
        return try? reader.create(edits, id: ID(high: 0, low: 0), createdAt: Timestamp(microseconds: 0))
    }

    /// Returns true if the first row precedes the second in the order of values; `nil` if they are equal. The rows are
    /// compared as versions read them, the oldest version first, and last as they are stored.
    private static func precedes(
        _ first: [Value], _ second: [Value], in columns: [Int], _ readers: [Projection]
    ) -> Bool? {
        for reader in readers {
            for field in reader.fields where columns.contains(field.column) {
                let (one, other) = (field.view(first[field.column]), field.view(second[field.column]))
                if one != other { return one.precedes(other) }
            }
        }
        return columns.first { first[$0] != second[$0] }.map { first[$0].precedes(second[$0]) }
    }
}
