extension Int64 {
    /// The sum, clamped to the range of `Int64`.
    package func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    /// The product, clamped to the range of `Int64`.
    package func multipliedSaturating(by other: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: other)
        return isBeyond ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}
