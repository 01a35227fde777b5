/// An exact decimal number of any length, kept as its normalized text: `-?digits(.digits)?` with no leading or trailing
/// zeros to drop, no exponent, and never `-0`.
///
/// Text, because no fixed-width decimal type holds everything that PostgreSQL's `numeric` does.
public struct DecimalText: Hashable, Sendable {
    public let text: String

    /// The number that `text` writes: an optional sign, digits, an optional fraction and an optional exponent.
    ///
    /// `nil` when it is not a number, or when it has more than `digitsMax` digits written out.
    public init?(_ text: some StringProtocol) {
        guard let normalized = DecimalText.normalized(text) else { return nil }
        self.text = normalized
    }

    /// The most digits that a decimal may have when written without an exponent.
    ///
    /// PostgreSQL's `numeric` holds 131,072 before and 16,383 after the point; a thousand is far beyond any price and
    /// keeps one value from filling a page.
    public static let digitsMax = 1000

    private static func normalized(_ text: some StringProtocol) -> String? {
        var bytes = Array(text.utf8)[...]
        var negative = false
        if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            negative = sign == UInt8(ascii: "-")
            bytes.removeFirst()
        }
        var digits: [UInt8] = []
        var pointAt: Int?
        var sawDigit = false
        while let byte = bytes.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            bytes.removeFirst()
            if byte == UInt8(ascii: "."), pointAt == nil {
                pointAt = digits.count
            } else if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), digits.count < digitsMax {
                digits.append(byte)
                sawDigit = true
            } else {
                return nil
            }
        }
        guard sawDigit else { return nil }
        var exponent = 0
        if !bytes.isEmpty {
            bytes.removeFirst()
            guard let parsed = Int(String(decoding: bytes, as: UTF8.self)), abs(parsed) <= digitsMax else { return nil }
            exponent = parsed
        }
        return written(digits: digits, point: (pointAt ?? digits.count) + exponent, negative: negative)
    }

    /// `digits` with the decimal point after the first `point` of them (which may lie outside), normalized.
    private static func written(digits: [UInt8], point: Int, negative: Bool) -> String? {
        let zero = UInt8(ascii: "0")
        var digits = digits
        var point = point
        while digits.count > max(point, 0), digits.last == zero { digits.removeLast() }
        while let first = digits.first, first == zero {
            digits.removeFirst()
            point -= 1
        }
        if digits.isEmpty { return "0" }
        let whole: [UInt8]
        let fraction: [UInt8]
        if point <= 0 {
            whole = [zero]
            fraction = Array(repeating: zero, count: -point) + digits
        } else if point >= digits.count {
            whole = digits + Array(repeating: zero, count: point - digits.count)
            fraction = []
        } else {
            whole = Array(digits[..<point])
            fraction = Array(digits[point...])
        }
        guard whole.count + fraction.count <= digitsMax else { return nil }
        let sign = negative ? "-" : ""
        let tail = fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self)
        return sign + String(decoding: whole, as: UTF8.self) + tail
    }
}

extension DecimalText: CustomStringConvertible {
    public var description: String { text }
}

extension DecimalText {
    public static let zero = DecimalText(unchecked: "0")

    private init(unchecked text: String) {
        self.text = text
    }
}
