/// Converts a number that is a `Double` in the older version and an exact `Decimal` in the newer.
///
/// A Double becomes the decimal with the fewest digits that reads back as the same Double: 0.07 becomes exactly 0.07,
/// although the Double is slightly more. So every Double is restored exactly, and one column of decimals serves both
/// versions. A decimal with more digits than a Double can represent is read as the nearest Double. A decimal beyond all
/// Doubles is read as the largest. The stored decimal stays as it is until a client writes another number.
///
/// In SQL, a migration writes the same conversion as `price::text::numeric` for numbers below 2^54. The cast to `text`
/// is needed, because `price::numeric` keeps only 15 digits. `Migrations/allesteurer/0002-make-numbers-exact.sql` has
/// the whole migration.
public struct DoubleToDecimal: Conversion {
    /// Makes the conversion. A plan may write `.doubleToDecimal` instead.
    public init() {}

    /// Returns the decimal with the fewest digits that is read back as the same Double. It always fits into a
    /// `DecimalText`, because a finite Double needs at most some 340 digits.
    public func up(_ number: Double) -> DecimalText {
        DecimalText(shortest: number) ?? .zero
    }

    /// Returns the nearest Double; the largest for a decimal beyond all of them.
    public func down(_ exact: DecimalText) -> Double {
        if let nearest = Double(exact) { return nearest }
        return exact.text.hasPrefix("-") ? -.greatestFiniteMagnitude : .greatestFiniteMagnitude
    }

    public var fidelity: Fidelity { .projecting }

    /// Values with floating-point noise, thirds, the ends of the range, and a value halfway between two Doubles.
    public var examples: [Double] {
        [
            0, 0.07, 3.133, 1.19, 0.1 + 0.2, 5 / 3, 0.0900900900900901, -0.01, 9999.99, 1e16, 1e23,
            .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        ]
    }
}

extension Conversion where Self == DoubleToDecimal {
    /// The conversion from `Double` to `Decimal`: `Convert("Purchase.price", using: .doubleToDecimal)`.
    public static var doubleToDecimal: DoubleToDecimal { DoubleToDecimal() }
}
