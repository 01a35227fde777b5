import WireFormats

/// Equal stamps are decided by values: every server and every order of arrival gives the same. A retry wins its own tie
/// and changes nothing.
///
/// Each row has its place in one order, which is found from that row alone: a rule that looks at two together can go
/// round in a circle of three. Rows are first compared as all versions leave them that write back what they read, so
/// that a repetition, which leaves in place what says more, is compared as what it says. Of rows that end the same
/// there, the one that fewer versions leave as it is says more: the other may be what one of them read of it.
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

    /// Whether fewer versions leave the one row as it is than the other; `nil` where as many do.
    static func isRicher(
        _ row: [Value], than other: [Value], _ columns: [Int], _ readers: [Projection]
    ) -> Bool? {
        let counts = [row, other].map { row in
            readers.count { reader in
                guard let made = written(back: row, columns, by: reader) else { return false }
                return columns.allSatisfy { made[$0] == row[$0] }
            }
        }
        return counts[0] == counts[1] ? nil : counts[0] < counts[1]
    }

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
