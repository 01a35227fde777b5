import WireFormats

/// The conversion between calories as a whole number and as a number with a fraction. Older versions read rounded
/// values; halves are rounded away from zero.
struct FractionalCalories: Conversion {
    func up(_ whole: Int) -> Double {
        Double(whole)
    }

    func down(_ calories: Double) -> Int {
        Int(nearest: calories)
    }

    let fidelity = Fidelity.lossy

    // Beyond 2^53 not every Int is a Double.
    let examples = [0, 206, -1, 1 << 53, (1 << 53) + 1, .max, .min]
}
