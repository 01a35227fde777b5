extension Value {
    /// Returns true if this value comes before the other in a total order of the values of one column. Null comes
    /// first. Numbers and dates have their usual order. The order of other values means nothing, but it is the same on
    /// every server and device.
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
    /// Compares two decimals by their numeric value.
    public static func < (a: DecimalText, b: DecimalText) -> Bool {
        switch (a.isNegative, b.isNegative) {
        case (true, false): true
        case (false, true): false
        case (false, false): a.isCloserToZero(than: b)
        case (true, true): b.isCloserToZero(than: a)
        }
    }

    private var isNegative: Bool { text.utf8.first == UInt8(ascii: "-") }

    /// Returns true if this number has the smaller absolute value. The number with fewer digits before the point is
    /// smaller. For equal lengths the texts are compared by their bytes: the point sorts before every digit, and the
    /// end of a text sorts before the point.
    private func isCloserToZero(than other: DecimalText) -> Bool {
        let (a, b) = (text.utf8.drop { $0 == UInt8(ascii: "-") }, other.text.utf8.drop { $0 == UInt8(ascii: "-") })
        let (wholeA, wholeB) = (a.prefix { $0 != UInt8(ascii: ".") }, b.prefix { $0 != UInt8(ascii: ".") })
        return wholeA.count == wholeB.count ? a.lexicographicallyPrecedes(b) : wholeA.count < wholeB.count
    }
}
