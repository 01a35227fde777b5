/// Reads a quantity's text from its beginning: white space, a number, white space, a unit.
///
/// It reads scalar by scalar, ASCII digits only, and nothing that depends on a locale: the same text is read in the
/// same way on every machine, and by the SQL that says the same.
struct QuantityScanner {
    private var rest: ArraySlice<Unicode.Scalar>

    init(_ text: String) {
        rest = Array(text.unicodeScalars)[...]
    }

    /// The number at the beginning; `nil` where there is none that is safe to read.
    mutating func number() -> Double? {
        skipWhiteSpace()
        guard !isAmbiguous else { return nil }
        let whole = digits()
        if next(is: "/") { return fraction(of: whole) }
        if let separator = rest.first, separator == "." || separator == "," {
            rest.removeFirst()
            return decimal(whole, digits())
        }
        var ahead = self
        if ahead.skipWhiteSpace() {
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

    /// Everything that is left, without white space around it; `nil` where it cannot be a unit.
    mutating func unit() -> String? {
        skipWhiteSpace()
        while let last = rest.last, QuantityScanner.isWhiteSpace(last) { rest.removeLast() }
        guard let first = rest.first else { return "" }
        guard !QuantityScanner.belongsToNumber(first), !isExponent else { return nil }
        var unit = String.UnicodeScalarView()
        unit.append(contentsOf: rest)
        return String(unit)
    }

    /// Enough for any quantity, and few enough for every number of them to be finite.
    private static let digitsMax = 15
    private static let fractionDigitsMax = 9
}

extension QuantityScanner {
    /// One to three digits, a comma and three digits: fifteen hundred for some, one and a half for others.
    private var isAmbiguous: Bool {
        var ahead = self
        let (whole, isComma) = (ahead.digits(), ahead.next(is: ","))
        return isComma && (1...3).contains(whole.count) && !whole.hasPrefix("0") && ahead.digits().count == 3
    }

    /// "e9" in "1e9": a number in a notation that nobody means when they eat.
    private var isExponent: Bool {
        var ahead = self
        guard ahead.next(is: "e") || ahead.next(is: "E") else { return false }
        if !ahead.next(is: "+") { _ = ahead.next(is: "-") }
        return !ahead.digits().isEmpty
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

    /// Takes the digits at the beginning.
    private mutating func digits() -> String {
        let run = rest.prefix { $0 >= "0" && $0 <= "9" }
        rest.removeFirst(run.count)
        var digits = String.UnicodeScalarView()
        digits.append(contentsOf: run)
        return String(digits)
    }

    /// Takes `scalar` if it comes next.
    private mutating func next(is scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    /// Whether there was any.
    @discardableResult
    private mutating func skipWhiteSpace() -> Bool {
        let run = rest.prefix { QuantityScanner.isWhiteSpace($0) }
        rest.removeFirst(run.count)
        return !run.isEmpty
    }

    /// Also the spaces that number formatters put before a unit.
    private static func isWhiteSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "\t", "\n", "\r", "\u{A0}", "\u{2009}", "\u{202F}": true
        default: false
        }
    }

    /// Where a unit would begin with one of these, the number was not read to its end: "1-2", "1½", "1 2".
    private static func belongsToNumber(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", ".", ",", "/", "+", "-": true
        // Dashes, the minus sign and the slashes of fractions.
        case "\u{2010}"..."\u{2015}", "\u{2212}", "\u{2044}", "\u{2215}": true
        // ¼ ½ ¾ ⅐ … ⅟
        case "\u{BC}"..."\u{BE}", "\u{2150}"..."\u{215F}": true
        default: false
        }
    }
}
