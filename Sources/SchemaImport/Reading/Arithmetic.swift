/// An expression that consists only of numbers, operators and brackets, and its value: `60 * 60 * 24`, `1.0 / 3`.
struct Arithmetic {
    /// The expression without white space.
    private let text: [Character]
    private var position = 0

    /// True if all numbers in the expression are written as whole numbers.
    let isWhole: Bool

    /// Parses an expression. The result is `nil` if it has anything but numbers, operators and brackets.
    init?(_ text: String) {
        let characters = text.filter { !$0.isWhitespace && $0 != "_" }
        guard characters.contains(where: { "+-*/".contains($0) }), characters.first?.isLetter == false,
            characters.allSatisfy({ $0.isASCII && ($0.isNumber || "+-*/().e".contains($0)) })
        else { return nil }
        self.text = Array(characters)
        isWhole = !characters.contains { $0 == "." || $0 == "e" }
        guard double != nil else { return nil }
    }

    /// The expression's value, computed with `Double` as Swift does; `nil` if it is infinite or no number.
    var double: Double? {
        result(Double.init) { a, b, sign in
            switch sign {
            case "+": a + b
            case "-": a - b
            case "*": a * b
            default: a / b
            }
        }.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The expression's value, computed with `Int` as Swift does; `nil` if the expression has a fraction, or if the
    /// value is out of range.
    var integer: Int64? {
        guard isWhole else { return nil }
        return result({ Int64($0) }) { a, b, sign in
            let (value, isOver) =
                switch sign {
                case "+": a.addingReportingOverflow(b)
                case "-": a.subtractingReportingOverflow(b)
                case "*": a.multipliedReportingOverflow(by: b)
                default: a.dividedReportingOverflow(by: b)
                }
            return isOver ? nil : value
        }
    }

    private func result<Number: SignedNumeric>(
        _ number: (String) -> Number?, _ apply: (Number, Number, Character) -> Number?
    ) -> Number? {
        var reader = self
        guard let value = reader.sum(number, apply), reader.position == text.count else { return nil }
        return value
    }

    private mutating func next(_ characters: String) -> Character? {
        guard position < text.count, characters.contains(text[position]) else { return nil }
        position += 1
        return text[position - 1]
    }

    private mutating func sum<Number: SignedNumeric>(
        _ number: (String) -> Number?, _ apply: (Number, Number, Character) -> Number?
    ) -> Number? {
        guard var value = product(number, apply) else { return nil }
        while let sign = next("+-") {
            guard let other = product(number, apply), let sum = apply(value, other, sign) else { return nil }
            value = sum
        }
        return value
    }

    private mutating func product<Number: SignedNumeric>(
        _ number: (String) -> Number?, _ apply: (Number, Number, Character) -> Number?
    ) -> Number? {
        guard var value = factor(number, apply) else { return nil }
        while let sign = next("*/") {
            guard let other = factor(number, apply), let product = apply(value, other, sign) else { return nil }
            value = product
        }
        return value
    }

    private mutating func factor<Number: SignedNumeric>(
        _ number: (String) -> Number?, _ apply: (Number, Number, Character) -> Number?
    ) -> Number? {
        if next("-") != nil { return factor(number, apply).map { -$0 } }
        if next("(") != nil {
            guard let value = sum(number, apply), next(")") != nil else { return nil }
            return value
        }
        let start = position
        while let digit = next("0123456789.e") {
            if digit == "e" { _ = next("+-") }
        }
        return number(String(text[start..<position]))
    }
}
