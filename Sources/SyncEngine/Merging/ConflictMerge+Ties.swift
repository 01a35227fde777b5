import WireFormats

/// Ties: edits with equal stamps are decided by their values, so every server and every order of arrival gives the same
/// result. A retry wins its own tie and changes nothing.
///
/// All rows are in one total order, and a row's position in it follows from that row alone. A rule that compares two
/// rows by looking at both could go round in a circle of three. Rows are first compared as all versions leave them that
/// write back what they read. So a repetition, which leaves the richer value in place, is compared by the value that it
/// repeats. If rows are equal in this form, the richer row wins: the one of which versions make more forms by writing
/// back what they read. No form that a version made of a row ever wins against the row itself, because all that can be
/// made of the form can be made of the row, too.
extension ConflictMerge {
    /// True if a row with an edit wins against the current row.
    ///
    /// - Parameters:
    ///   - columns: the columns of the unit, or of one part of it.
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

    /// The row after every version, the oldest first, has written back its reading of some columns.
    static func rewritten(_ row: [Value], _ columns: [Int], _ readers: [Projection]) -> [Value] {
        readers.reduce(row) { row, reader in written(back: row, columns, by: reader) ?? row }
    }

    /// True if versions make more forms of `row` than of `other` by writing back what they read, and what others read
    /// of the result; `nil` if they make as many.
    static func isRicher(
        _ row: [Value], than other: [Value], _ columns: [Int], _ readers: [Projection]
    ) -> Bool? {
        let counts = [row, other].map { forms(of: $0, columns, readers).count }
        return counts[0] == counts[1] ? nil : counts[0] > counts[1]
    }

    /// The row, and all rows that versions make of it by writing back what they read, repeatedly.
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

    /// The limit of forms, which is more than versions make of any value: each reading loses something, or nothing
    /// more.
    private static let formsMax = 32

    /// The row that a version makes by writing back its own reading; `nil` if the version reads none of the columns, or
    /// its lenses cannot translate the values, which it then did not write.
    private static func written(back row: [Value], _ columns: [Int], by reader: Projection) -> [Value]? {
        let edits = reader.fields.enumerated().filter { columns.contains($1.column) }.map { index, field in
            FieldEdit(field: index, value: field.view(row[field.column]))
        }
        if edits.isEmpty { return nil }
        return try? reader.create(edits, id: ID(high: 0, low: 0), createdAt: Timestamp(microseconds: 0))
    }

    /// True if the first row precedes the second in the order of values. The oldest version that can tell the rows
    /// apart decides; `nil` if they are equal.
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
