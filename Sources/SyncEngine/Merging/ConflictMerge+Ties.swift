import WireFormats

/// The order in which edits with equal stamps win: it depends on their values only, so every server reaches the same
/// result, in whatever order the edits arrive. A repeated edit wins against itself and changes nothing.
///
/// All rows (the column values of a record) are in one total order, and a row's position in it follows from that row
/// alone. (A rule that compares two rows by looking at both could prefer a to b, b to c and c to a.) First, each row is
/// compared in the form that is left after every version has read it and written it back. So an edit that repeats a
/// value, and leaves a more precise stored value in place, is compared by the value that it repeats. If two rows are
/// equal in this form, the richer row wins: the one from which versions make more different rows by reading it and
/// writing it back. So no row that a version made from another wins against that other row, because everything that can
/// be made from the first can be made from the second, too. If this does not decide either, the rows are compared
/// unchanged.
extension ConflictMerge {
    /// Returns true if `candidate`, the record's row with an edit, wins against `current`, the record's row before it,
    /// although their stamps are equal. It wins if its values come later in the order of rows, or are equal.
    ///
    /// - Parameters:
    ///   - columns: the columns of the unit, or of one part of it, which are compared first.
    ///   - others: the other columns of the unit, which decide if `columns` are equal.
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

    /// Returns the row that is left after every version, the oldest first, has read some columns of it and written them
    /// back.
    static func rewritten(_ row: [Value], _ columns: [Int], _ readers: [Projection]) -> [Value] {
        readers.reduce(row) { row, reader in written(back: row, columns, by: reader) ?? row }
    }

    /// Returns true if versions make more different rows from `row` than from `other` by reading some columns and
    /// writing them back, repeatedly; `nil` if they make equally many.
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

    /// The most rows that `forms` makes from one row. It is a mere precaution: each reading by a version loses a part
    /// of the value until nothing more is lost, so versions make fewer rows of any value.
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

    /// Returns true if the first row precedes the second in the order of values; `nil` if they are equal. The oldest
    /// version that reads the rows differently decides.
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
