import WireFormats

/// A quantity as it is typed ("500 mL", "1 1/2 cups"), and as a number and a unit.
///
/// The text is a number, which may be a fraction or have one, and a unit, which may be missing. A decimal point and a
/// decimal comma are both read, but "1,500" is one and a half for some people and fifteen hundred for others, so it is not
/// read at all. What is not read has the number 0 and no unit; its text stays as it was typed for the versions that have it.
///
/// `Migrations/fitiq/0007-split-quantity-text.sql` says the same in SQL, for records that are older than this conversion.
struct QuantityText: SplitConversion {
    func split(_ text: String) -> (Double, String) {
        var scanner = QuantityScanner(text)
        guard let number = scanner.number(), let unit = scanner.unit() else { return (0, "") }
        return (number, unit)
    }

    /// The number as shortly as it can be written, a space and the unit.
    func merge(_ number: Double, _ unit: String) -> String {
        if number == 0, unit.isEmpty { return "" }
        let digits = DecimalText("\(number)")?.text ?? "0"
        return unit.isEmpty ? digits : "\(digits) \(unit)"
    }
}

extension QuantityText {
    var examples: [String] { QuantityText.readable + QuantityText.unreadable }

    static let readable = [
        "500 mL", "1 cup", "100g", "2 slices", "1.5 L", "1,5 l", "1/2 cup", "2", "250.0 ml", "1 fl oz",
        " 3 \t tbsp \n", "1 1/2 cups", "12 3/4", "0", "007 g", ".5 cup", ",25 l", "0,125 l", "1,5000 g",
        "1.500 kg", "1 can (330 ml)", "2 x 100g", "50%", "3\u{A0}g", "4\u{202F}g\u{A0}", "6\u{2009}g", "1 é", "2 e\u{301}",
        "2 🍎 each", "1 e", "1 egg", "3 Eier", "1e g", "100 g\nchopped", "123456789012345 g", "0.000000000000001 g",
        "999999999/999999999 x", "1\u{301} g", "5\u{2003}g", "2×3 cm", "0x10 g,",
    ]

    static let unreadable = [
        "", " ", "\u{A0}\n", "a handful", "g 100", "½ cup", "1½ cup", "1 ½ cup", "1/0 cup", "1/00", "1 1/0 cup", "0/0",
        "1/02 cup", "1e999", "1E5 g", "1 e9", "1e+5", "1e-5", "NaN", "nan g", "inf", "-inf", "-5 g", "+5 g", "1-2 cups",
        "2 – 3 cups", "1⁄2 cup", "1 −2", "1,500 mL", "12,000", "10,125 kg", "1.2.3 g", "1,2,3", "1/2/3", "5.", "5 .5", "1 2 g", "1 1 1/2 g", ". g", "/2 cup",
        "1/ 2 cup", "1234567890123456 g", "0.1234567890123456", "1/1234567890 g", "1234567890/2 g",
        "99999999999999999999999999999999999999 g", "٣ g", "１ g",
    ]
}
