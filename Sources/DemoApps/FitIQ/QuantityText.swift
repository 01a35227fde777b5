import WireFormats

/// The conversion between a quantity as typed ("500 mL", "1 1/2 cups") and a number with a unit.
///
/// The text is a number, which may be a fraction or have one, and a unit, which may be missing. Digits may be of any
/// script, and a fraction may be one character (½). A decimal point and a decimal comma are both read. But "1,500" and
/// "1.500" are one and a half for some people and fifteen hundred for others, so they are not read at all; nor are
/// "1'500", in which only people see one number, and "2x100". A wrong number is worse than none. A text that is not
/// read has the number 0 and no unit; the text stays as it was typed for the versions that have it.
///
/// `Migrations/fitiq/0012-read-more-quantities.sql` does the same in SQL, for records that are older than this
/// conversion. `0007-split-quantity-text.sql` was published before, and reads fewer texts.
struct QuantityText: Conversion {
    func up(_ text: String) -> (Double, String) {
        var scanner = QuantityScanner(text)
        guard let number = scanner.number(), let unit = scanner.unit() else { return (0, "") }
        return (number, unit)
    }

    /// Returns the quantity as a text: the shortest one that is read as the same number, then a space and the unit.
    func down(_ quantity: (Double, String)) -> String {
        let (number, unit) = quantity
        if number == 0, unit.isEmpty { return "" }
        var digits = DecimalText("\(number)")?.text ?? "0"
        // With three digits after the point it could be thousands.
        if QuantityScanner(digits).isAmbiguous { digits += "0" }
        return unit.isEmpty ? digits : "\(digits) \(unit)"
    }
}
