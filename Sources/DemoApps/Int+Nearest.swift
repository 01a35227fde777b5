extension Int {
    /// Rounds a number to the nearest integer; halves are rounded away from zero. A number that is out of range becomes
    /// the nearest limit, and a NaN becomes 0.
    ///
    /// `Double.rounded()` is not used, because it calls the library libm. Nothing else here needs to be linked with
    /// that.
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
