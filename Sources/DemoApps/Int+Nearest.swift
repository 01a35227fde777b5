extension Int {
    /// Rounds `number` to the nearest integer, halves away from zero. Out of range, it is the nearer limit; for a NaN,
    /// 0.
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
