extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC: `YYYY-MM-DDThh:mm:ssZ`, with three digits after the point when the fraction is whole
    /// milliseconds and six when it is not, so that each timestamp has one text.
    ///
    /// A year outside 0000 to 9999, which RFC 3339 cannot write and which never comes from the wire, is printed with
    /// its sign and as many digits as it takes.
    public var description: String {
        String(unsafeUninitializedCapacity: Timestamp.textBytesMax) { buffer in
            var span = OutputSpan(buffer: buffer, initializedCount: 0)
            append(to: &span)
            return span.finalize(for: buffer)
        }
    }

    /// `±YYYYYY-MM-DDThh:mm:ss.ffffffZ`: an `Int64` of microseconds reaches the years -290308 to 294247.
    static let textBytesMax = 30

    /// Appends the text of `description`.
    func append(to span: inout OutputSpan<UInt8>) {
        let (seconds, microsecond) = Timestamp.floored(Int(microseconds), by: 1_000_000)
        let (days, second) = Timestamp.floored(seconds, by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        if !(0...9999).contains(date.year) {
            span.append(date.year < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        }
        let year = abs(date.year)
        Timestamp.append(year, digits: year > 99_999 ? 6 : year > 9999 ? 5 : 4, to: &span)
        span.append(UInt8(ascii: "-"))
        Timestamp.append(date.month, digits: 2, to: &span)
        span.append(UInt8(ascii: "-"))
        Timestamp.append(date.day, digits: 2, to: &span)
        span.append(UInt8(ascii: "T"))
        Timestamp.append(second / 3600, digits: 2, to: &span)
        span.append(UInt8(ascii: ":"))
        Timestamp.append(second / 60 % 60, digits: 2, to: &span)
        span.append(UInt8(ascii: ":"))
        Timestamp.append(second % 60, digits: 2, to: &span)
        if microsecond > 0 {
            let isMilliseconds = microsecond % 1000 == 0
            span.append(UInt8(ascii: "."))
            Timestamp.append(
                isMilliseconds ? microsecond / 1000 : microsecond, digits: isMilliseconds ? 3 : 6, to: &span)
        }
        span.append(UInt8(ascii: "Z"))
    }

    /// The quotient rounded down, and what remains, which is not negative.
    private static func floored(_ value: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        // Not by multiplying back: the lowest `Int64` would overflow.
        let remainder = value % divisor
        return (CivilDate.flooredQuotient(value, divisor), remainder < 0 ? remainder + divisor : remainder)
    }

    private static func append(_ number: Int, digits: Int, to span: inout OutputSpan<UInt8>) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            span.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
