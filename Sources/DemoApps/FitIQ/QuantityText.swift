import WireFormats

/// The conversion between a quantity as the user typed it, such as `500 mL` or `1 1/2 cups`, and a number with a unit.
///
/// The text is read as a number and an optional unit. The number may be a fraction, or contain one. The digits may be
/// of any script. The decimal separator may be a point or a comma.
///
/// A text is not read if people could understand it differently, because a wrong number is worse than none. For
/// instance, `1,500` may mean 1.5 or 1500. `1'500` and `2x100` are not read either. Such a text becomes the number 0
/// without a unit. Versions that store the quantity as text keep it as it was typed.
///
/// The SQL in `Migrations/fitiq/0012-read-more-quantities.sql` does the same for older records. The older file
/// `0007-split-quantity-text.sql` reads fewer texts.
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
