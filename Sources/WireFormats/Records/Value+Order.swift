extension Value {
    /// True if this value comes before the other in a total order of one column's values. Null comes first. Numbers and
    /// dates have their usual order; any other order has no meaning except that it is the same everywhere.
    package func precedes(_ other: Value) -> Bool {
        switch (self, other) {
        case (.null, _): !other.isNull
        case (_, .null): false
        case (.bool(let a), .bool(let b)): !a && b
        case (.int(let a), .int(let b)): a < b
        case (.double(let a), .double(let b)): a < b
        case (.date(let a), .date(let b)): a < b
        case (.uuid(let a), .uuid(let b)): a < b
        case (.data(let a), .data(let b)): a.lexicographicallyPrecedes(b)
        case (.decimal(let a), .decimal(let b)): a < b
        case (.string(let a), .string(let b)), (.json(let a), .json(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        default: false
        }
    }
}

extension DecimalText: Comparable {
    /// Compares by number. Of two normalized texts, one is longer before its point, or else they differ in a digit.
    public static func < (a: DecimalText, b: DecimalText) -> Bool {
        switch (a.isNegative, b.isNegative) {
        case (true, false): true
        case (false, true): false
        case (false, false): a.isCloserToZero(than: b)
        case (true, true): b.isCloserToZero(than: a)
        }
    }

    private var isNegative: Bool { text.utf8.first == UInt8(ascii: "-") }

    /// True if this number has the smaller absolute value. Normalized texts have no zeros to drop, so of numbers with
    /// wholes of equal length the one with the later text is greater: the point sorts before every digit, and the end
    /// sorts before the point.
    private func isCloserToZero(than other: DecimalText) -> Bool {
        let (a, b) = (text.utf8.drop { $0 == UInt8(ascii: "-") }, other.text.utf8.drop { $0 == UInt8(ascii: "-") })
        let (wholeA, wholeB) = (a.prefix { $0 != UInt8(ascii: ".") }, b.prefix { $0 != UInt8(ascii: ".") })
        return wholeA.count == wholeB.count ? a.lexicographicallyPrecedes(b) : wholeA.count < wholeB.count
    }
}
