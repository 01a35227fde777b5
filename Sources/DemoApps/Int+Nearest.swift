extension Int {
    /// Rounds `number` to the nearest integer, halves away from zero. A number out of range becomes the nearer limit,
    /// and a NaN becomes 0.
    ///
    /// It does not use `Double.rounded()`, because that calls libm, which nothing else here must be linked with.
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
