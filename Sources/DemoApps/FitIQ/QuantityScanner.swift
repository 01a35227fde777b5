/// A scanner that reads the text of a quantity from its beginning: white space, a number, white space, a unit.
///
/// It reads scalar by scalar, with tables of its own, and uses nothing that depends on a locale or on the release of a
/// system. So every machine reads the same text in the same way, and so does the SQL of the migration.
struct QuantityScanner {
    private var rest: ArraySlice<Unicode.Scalar>

    init(_ text: String) {
        rest = Array(text.unicodeScalars)[...]
    }

    /// Removes the number at the beginning of the text, and returns its value; `nil` if there is no number that can be
    /// read without doubt.
    mutating func number() -> Double? {
        skipWhiteSpace()
        guard !isAmbiguous else { return nil }
        let whole = digits()
        if next(is: "/") { return fraction(of: whole) }
        if next(is: ".") || next(is: ",") { return decimal(whole, digits()) }
        var ahead = self
        let isApart = ahead.skipWhiteSpace()
        if let fraction = ahead.vulgarFraction() {
            guard whole.count <= QuantityScanner.fractionDigitsMax else { return nil }
            self = ahead
            return (Double(whole) ?? 0) + fraction
        }
        if isApart {
            let numerator = ahead.digits()
            if ahead.next(is: "/") {
                guard let fraction = ahead.fraction(of: numerator), whole.count <= QuantityScanner.fractionDigitsMax,
                    let whole = Double(whole)
                else { return nil }
                self = ahead
                return whole + fraction
            }
        }
        return whole.isEmpty ? nil : decimal(whole, "0")
    }

    /// Removes the rest of the text, and returns it as a unit, without white space around it; `nil` if it cannot be a
    /// unit.
    mutating func unit() -> String? {
        skipWhiteSpace()
        while let last = rest.last, QuantityScanner.isWhiteSpace(last) { rest.removeLast() }
        guard let first = rest.first else { return "" }
        guard !QuantityScanner.belongsToNumber(first), !isMoreOfTheNumber else { return nil }
        var unit = String.UnicodeScalarView()
        unit.append(contentsOf: rest)
        return String(unit)
    }

    /// The maximum number of digits before the decimal point, and of those after it. They suffice for any quantity, and
    /// every such number is finite.
    private static let digitsMax = 15
    private static let fractionDigitsMax = 9
}

extension QuantityScanner {
    /// True if the text begins with one to three digits, a comma or a point, and three digits. Some people read "1,500"
    /// as fifteen hundred, others as one and a half.
    var isAmbiguous: Bool {
        var ahead = self
        let (whole, isSeparated) = (ahead.digits(), ahead.next(is: ",") || ahead.next(is: "."))
        return isSeparated && (1...3).contains(whole.count) && !whole.hasPrefix("0") && ahead.digits().count == 3
    }

    /// True if the text goes on with another number, perhaps after marks. Then the number before it was not complete.
    ///
    /// In `1'500 g` and `1_000 g`, the marks group the digits of one number. In `1~2`, the 2 is the other end of a
    /// range. The marks may follow an x or e, as in `2x100 g` and `1e9`.
    private var isMoreOfTheNumber: Bool {
        var ahead = self
        if let first = ahead.rest.first, QuantityScanner.joinsNumbers(first) { ahead.rest.removeFirst() }
        ahead.rest = ahead.rest.drop(while: QuantityScanner.isMark)
        return !ahead.digits().isEmpty || ahead.vulgarFraction() != nil
    }

    /// Removes a character that is a fraction, such as ½, from the beginning of the text, and returns its value; `nil`
    /// if the text does not begin with one.
    private mutating func vulgarFraction() -> Double? {
        guard let scalar = rest.first, let (numerator, denominator) = QuantityScanner.vulgarFractions[scalar] else {
            return nil
        }
        rest.removeFirst()
        return numerator / denominator
    }

    private mutating func fraction(of numerator: String) -> Double? {
        let denominator = digits()
        guard !denominator.hasPrefix("0"), numerator.count <= QuantityScanner.fractionDigitsMax,
            denominator.count <= QuantityScanner.fractionDigitsMax, let numerator = Double(numerator),
            let denominator = Double(denominator)
        else { return nil }
        return numerator / denominator
    }

    private func decimal(_ whole: String, _ fraction: String) -> Double? {
        guard !fraction.isEmpty, whole.count <= QuantityScanner.digitsMax, fraction.count <= QuantityScanner.digitsMax
        else { return nil }
        return whole.isEmpty ? Double("0.\(fraction)") : Double("\(whole).\(fraction)")
    }

    /// Removes the digits at the beginning of the text, and returns them.
    private mutating func digits() -> String {
        let run = rest.prefix { QuantityScanner.digit($0) != nil }
        rest.removeFirst(run.count)
        return run.compactMap(QuantityScanner.digit).map { "\($0)" }.joined()
    }

    /// Removes `scalar`, or a scalar with the same meaning, from the beginning of the text. Returns true if it was
    /// there.
    private mutating func next(is scalar: Unicode.Scalar) -> Bool {
        guard let next = rest.first, QuantityScanner.plain(next) == scalar else { return false }
        rest.removeFirst()
        return true
    }

    /// Removes white space from the beginning of the text. Returns true if there was any.
    @discardableResult
    private mutating func skipWhiteSpace() -> Bool {
        let run = rest.prefix { QuantityScanner.isWhiteSpace($0) }
        rest.removeFirst(run.count)
        return !run.isEmpty
    }

    /// Returns true for white space, including the spaces that number formatters put before a unit.
    private static func isWhiteSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "\t", "\n", "\r", "\u{A0}", "\u{2009}", "\u{202F}", "\u{3000}": true
        default: false
        }
    }

    /// Returns true if a unit cannot begin with the scalar. So if the scalar follows a number, it is taken for a part
    /// of that number, as in `1-2`, `½½` and `1 2`.
    private static func belongsToNumber(_ scalar: Unicode.Scalar) -> Bool {
        if digit(scalar) != nil { return true }
        switch plain(scalar) {
        case ".", ",", "/", "+", "-": return true
        // Dashes and minus signs.
        case "\u{2010}"..."\u{2015}", "\u{2212}", "\u{FF0B}", "\u{FF0D}": return true
        // ¼ ½ ¾ ⅐ … ⅟ ↉
        case "\u{BC}"..."\u{BE}", "\u{2150}"..."\u{215F}", "\u{2189}": return true
        // Powers, indices and the Chinese zero.
        case "\u{B2}", "\u{B3}", "\u{B9}", "\u{2070}"..."\u{2089}", "\u{3007}": return true
        default: return false
        }
    }
}
