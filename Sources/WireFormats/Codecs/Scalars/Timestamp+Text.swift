extension Timestamp: CustomStringConvertible {
    /// The timestamp in RFC 3339, in UTC: `YYYY-MM-DDThh:mm:ssZ`. A fraction has three digits after the point if it is
    /// whole milliseconds and six if it is not, so that each timestamp has one text.
    ///
    /// A year outside 0000 to 9999, which RFC 3339 cannot write and which never comes from the wire, is printed with
    /// its sign and all its digits.
    public var description: String {
        String(unsafeUninitializedCapacity: Timestamp.textBytesMax) { buffer in
            var span = OutputSpan(buffer: buffer, initializedCount: 0)
            append(to: &span)
            return span.finalize(for: buffer)
        }
    }

    /// The longest text, in bytes: `±YYYYYY-MM-DDThh:mm:ss.ffffffZ`. An `Int64` of microseconds reaches the years
    /// -290308 to 294247.
    static let textBytesMax = 30

    /// Appends the text of `description`.
    func append(to span: inout OutputSpan<UInt8>) {
        let (seconds, microsecond) = Timestamp.floored(Int(microseconds), by: 1_000_000)
        let (days, second) = Timestamp.floored(seconds, by: 86_400)
        let date = CivilDate(daysSinceEpoch: days)
        Timestamp.append(year: date.year, to: &span)
        span.append(UInt8(ascii: "-"))
        Timestamp.append(twoDigits: date.month, to: &span)
        span.append(UInt8(ascii: "-"))
        Timestamp.append(twoDigits: date.day, to: &span)
        span.append(UInt8(ascii: "T"))
        Timestamp.append(twoDigits: second / 3600, to: &span)
        span.append(UInt8(ascii: ":"))
        Timestamp.append(twoDigits: second / 60 % 60, to: &span)
        span.append(UInt8(ascii: ":"))
        Timestamp.append(twoDigits: second % 60, to: &span)
        if microsecond > 0 { Timestamp.append(fraction: microsecond, to: &span) }
        span.append(UInt8(ascii: "Z"))
    }

    private static func append(year: Int, to span: inout OutputSpan<UInt8>) {
        if !(0...9999).contains(year) {
            span.append(year < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        }
        let year = abs(year)
        if year > 99_999 { append(digit: year / 100_000, to: &span) }
        if year > 9999 { append(digit: year / 10_000 % 10, to: &span) }
        append(twoDigits: year / 100 % 100, to: &span)
        append(twoDigits: year % 100, to: &span)
    }

    /// Appends the fraction: three digits if they are enough, otherwise six.
    private static func append(fraction microsecond: Int, to span: inout OutputSpan<UInt8>) {
        span.append(UInt8(ascii: "."))
        append(twoDigits: microsecond / 10_000, to: &span)
        append(digit: microsecond / 1000 % 10, to: &span)
        guard microsecond % 1000 > 0 else { return }
        append(digit: microsecond / 100 % 10, to: &span)
        append(twoDigits: microsecond % 100, to: &span)
    }

    private static func append(twoDigits number: Int, to span: inout OutputSpan<UInt8>) {
        append(digit: number / 10, to: &span)
        append(digit: number % 10, to: &span)
    }

    private static func append(digit: Int, to span: inout OutputSpan<UInt8>) {
        span.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
    }

    /// Divides by a positive divisor: the quotient is rounded down, so the remainder is not negative.
    private static func floored(_ value: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        // Not by multiplying back: the lowest `Int64` would overflow.
        let remainder = value % divisor
        return (CivilDate.flooredQuotient(value, divisor), remainder < 0 ? remainder + divisor : remainder)
    }
}
