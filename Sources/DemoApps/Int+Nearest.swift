extension Int {
    /// The nearest to `number`, halves away from zero; at the ends where it lies beyond them, and 0 where it is not a
    /// number.
    ///
    /// `Double.rounded()` calls libm, which nothing else here needs to be linked for.
    init(nearest number: Double) {
        // Int.min is a Double; the next one above Int.max is its negation.
        let limit = -Double(Int.min)
        guard number < limit else {
            self = number >= limit ? .max : 0
            return
        }
        guard number > -limit else {
            self = .min
            return
        }
        // Exact: from 2^52 on a Double has no fraction, and below that it is no further away than 2^53.
        let whole = Int(number)
        let fraction = number - Double(whole)
        self = fraction >= 0.5 ? whole + 1 : fraction <= -0.5 ? whole - 1 : whole
    }
}
