import WireFormats

/// A quantity as it is typed ("500 mL", "1 1/2 cups"), and as a number and a unit.
///
/// The text is a number, which may be a fraction or have one, and a unit, which may be missing. Digits may be of any
/// script, and a fraction one character (½). A decimal point and a decimal comma are both read, but "1,500" and "1.500"
/// are one and a half for some people and fifteen hundred for others, so they are not read at all; nor are "1'500", in
/// which only people see one number, and "2x100". A wrong number is worse than none. What is not read has the number 0
/// and no unit; its text stays as it was typed for the versions that have it.
///
/// `Migrations/fitiq/0012-read-more-quantities.sql` says the same in SQL, for records that are older than this
/// conversion. What `0007-split-quantity-text.sql` does was published before, and read less.
struct QuantityText: SplitConversion {
    func split(_ text: String) -> (Double, String) {
        var scanner = QuantityScanner(text)
        guard let number = scanner.number(), let unit = scanner.unit() else { return (0, "") }
        return (number, unit)
    }

    /// The number as shortly as it can be written and read again, a space and the unit.
    func merge(_ number: Double, _ unit: String) -> String {
        if number == 0, unit.isEmpty { return "" }
        var digits = DecimalText("\(number)")?.text ?? "0"
        // With three digits behind the point it could be thousands.
        if QuantityScanner(digits).isAmbiguous { digits += "0" }
        return unit.isEmpty ? digits : "\(digits) \(unit)"
    }
}
