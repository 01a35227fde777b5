import WireFormats

/// Equal stamps are decided by values: every server and every order of arrival gives the same. A retry wins its own tie
/// and changes nothing.
///
/// Each row has its place in one order, which is found from that row alone: a rule that looks at two together can go
/// round in a circle of three. Rows are first compared as all versions leave them that write back what they read, so
/// that a repetition, which leaves in place what says more, is compared as what it says. Of rows that end the same
/// there, the one of which versions make more by writing back what they read says more. What one of them made of a row
/// never stands against that: all that can be made of it can be made of the row, too.
extension Merge {
    /// Whether a row with an edit stands against the row that is there.
    ///
    /// - Parameters:
    ///   - columns: of the unit, or of one part of it.
    ///   - others: the rest of the unit, which decides where the columns are equal.
    static func winsTie(
        _ candidate: [Value], _ current: [Value], of columns: [Int], before others: [Int] = [],
        _ readers: [Projection]
    ) -> Bool {
        let all = columns + others
        if all.allSatisfy({ candidate[$0] == current[$0] }) { return true }
        let (coarse, other) = (told(current, all, readers), told(candidate, all, readers))
        return precedes(coarse, other, in: columns, readers) ?? precedes(coarse, other, in: others, readers)
            ?? isRicher(candidate, than: current, all, readers)
            ?? precedes(current, candidate, in: columns, readers) ?? precedes(current, candidate, in: others, readers)
            ?? true
    }

    /// The row after every version, the oldest first, has written back what it reads of some columns.
    static func told(_ row: [Value], _ columns: [Int], _ readers: [Projection]) -> [Value] {
        readers.reduce(row) { row, reader in written(back: row, columns, by: reader) ?? row }
    }

    /// Whether versions make more rows of the one than of the other by writing back what they read, and what others
    /// read of that; `nil` where as many.
    static func isRicher(
        _ row: [Value], than other: [Value], _ columns: [Int], _ readers: [Projection]
    ) -> Bool? {
        let counts = [row, other].map { forms(of: $0, columns, readers).count }
        return counts[0] == counts[1] ? nil : counts[0] > counts[1]
    }

    /// A row, all that versions make of it by writing back what they read, and of that.
    private static func forms(of row: [Value], _ columns: [Int], _ readers: [Projection]) -> [[Value]] {
        var forms = [row]
        var place = 0
        while place < forms.count, forms.count < formsMax {
            for reader in readers {
                guard let made = written(back: forms[place], columns, by: reader) else { continue }
                let isKnown = forms.contains { form in columns.allSatisfy { form[$0] == made[$0] } }
                if !isKnown { forms.append(made) }
            }
            place += 1
        }
        return forms
    }

    /// More than versions make of any value: each reading loses something, or nothing more.
    private static let formsMax = 32

    /// What a version makes of what it reads itself; `nil` where it reads nothing there, or nothing that its lenses
    /// translate: that, it did not write.
    private static func written(back row: [Value], _ columns: [Int], by reader: Projection) -> [Value]? {
        let edits = reader.fields.enumerated().filter { columns.contains($1.column) }.map { place, field in
            FieldEdit(field: place, value: field.view(row[field.column]))
        }
        if edits.isEmpty { return nil }
        return try? reader.create(edits, id: ID(high: 0, low: 0), createdAt: Timestamp(microseconds: 0))
    }

    /// Whether the one goes before the other in the order of values, as the oldest version reads it that tells them
    /// apart; `nil` where they are equal.
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
