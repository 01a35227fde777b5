import StrictJSON

extension Timestamp {
    /// The range of the timestamps that clients may send: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z, all of
    /// which RFC 3339 can write.
    public static let wireRange =
        Timestamp(microseconds: -62_135_596_800_000_000)...Timestamp(microseconds: 253_402_300_799_999_999)

    /// The most digits that are accepted after the point of the seconds.
    static let fractionDigitsMax = 30

    /// Reads RFC 3339 (section 5.6) with `T` or `t`, any offset, and a fraction of up to 30 digits.
    ///
    /// A finer fraction is rounded to the nearest microsecond, and half a microsecond is rounded up. The rounding
    /// carries as far as it must: `23:59:59.9999995` is the next day. A leap second is accepted where one can be, at
    /// 23:59:60 UTC, and reads as the second after it: `23:59:60.5Z` is `00:00:00.5Z`.
    ///
    /// - Throws: `TimestampError` with the fault of the text.
    public init(_ text: String) throws(TimestampError) {
        self = try text.withUTF8Span { bytes throws(TimestampError) in try Timestamp(utf8: bytes) }
    }

    /// Reads RFC 3339 from its UTF-8 bytes.
    package init(utf8 text: Span<UInt8>) throws(TimestampError) {
        var isRounded = false
        try self.init(utf8: text, isRounded: &isRounded)
    }

    /// Reads RFC 3339 from its UTF-8 bytes.
    ///
    /// - Parameter isRounded: becomes true if the fraction of a second has more than six digits, so that it was rounded
    ///   to microseconds.
    init(utf8 text: Span<UInt8>, isRounded: inout Bool) throws(TimestampError) {
        var fields = TimestampFields()
        try fields.read(text)
        self.init(microseconds: try fields.microseconds())
        guard Timestamp.wireRange.contains(self) else { throw .outOfRange }
        if fields.fractionDigits > TimestampFields.microsecondDigits { isRounded = true }
    }
}

/// The parts of an RFC 3339 timestamp as written.
private struct TimestampFields {
    var date = CivilDate(year: 0, month: 0, day: 0)
    var hour = 0
    var minute = 0
    var second = 0
    /// The microsecond, 0 to 1,000,000: rounding may reach the next second.
    var microsecond = 0
    /// The number of digits after the point.
    var fractionDigits = 0
    var offsetMinutes = 0

    /// The length of `YYYY-MM-DDThh:mm:ss` in bytes.
    private static let secondsEnd = 19
    static let microsecondDigits = 6

    mutating func read(_ text: Span<UInt8>) throws(TimestampError) {
        guard text.count > TimestampFields.secondsEnd else { throw .malformed }
        let words = text.withUnsafeBytes { bytes in
            func word(_ offset: Int) -> UInt64 {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            // `YYYY-MM-`, `DDThh:mm` with the T in either case, and `hh:mm:ss`.
            return (word(0), word(8) & ~(0x20 << 16), word(11))
        }
        guard let months = TimestampFields.dated.pairs(words.0), let minutes = TimestampFields.between.pairs(words.1),
            let seconds = TimestampFields.timed.pairs(words.2)
        else { throw .malformed }
        date = CivilDate(year: months[0] * 100 + months[2], month: months[5], day: minutes[0])
        (hour, minute, second) = (minutes[3], minutes[6], seconds[6])
        var offset = TimestampFields.secondsEnd
        if text[offset] == UInt8(ascii: ".") { try readFraction(text, &offset) }
        try readOffset(text, from: offset)
    }

    private static let dated = EightCharacters("0000-00-")
    private static let between = EightCharacters("00T00:00")
    private static let timed = EightCharacters("00:00:00")

    /// Reads the fraction of a second: the point at `offset` and the digits after it. Leaves `offset` after the last
    /// digit.
    private mutating func readFraction(_ text: Span<UInt8>, _ offset: inout Int) throws(TimestampError) {
        offset += 1
        var (number, digits) = (0, 0)
        while offset < text.count, let digit = digit(text[offset]) {
            if digits < TimestampFields.microsecondDigits { number = number * 10 + digit }
            // The seventh digit alone decides: from 5 up it is at least half a microsecond.
            if digits == TimestampFields.microsecondDigits, digit >= 5 { number += 1 }
            digits += 1
            offset += 1
        }
        guard digits > 0 else { throw .malformed }
        guard digits <= Timestamp.fractionDigitsMax else { throw .fractionTooLong }
        for _ in 0..<max(TimestampFields.microsecondDigits - digits, 0) { number *= 10 }
        (microsecond, fractionDigits) = (number, digits)
    }

    private mutating func readOffset(_ text: Span<UInt8>, from start: Int) throws(TimestampError) {
        guard start < text.count else { throw .malformed }
        let sign = text[start]
        if sign | 0x20 == UInt8(ascii: "z") {
            guard text.count == start + 1 else { throw .malformed }
            return
        }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), text.count == start + 6,
            text[start + 3] == UInt8(ascii: ":")
        else { throw .malformed }
        let hours = try number(text, start + 1..<start + 3)
        let minutes = try number(text, start + 4..<start + 6)
        guard hours < 24, minutes < 60 else { throw .noSuchTime }
        offsetMinutes = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }

    /// The microseconds since 1970-01-01T00:00:00Z. The year has four digits, so nothing overflows.
    func microseconds() throws(TimestampError) -> Int64 {
        guard (1...12).contains(date.month), date.day >= 1,
            date.day <= 28 || date.day <= CivilDate.days(inMonth: date.month, of: date.year),
            hour < 24, minute < 60, second <= 60
        else { throw .noSuchTime }
        let minutes = hour * 60 + minute - offsetMinutes
        // RFC 3339 section 5.7: a leap second is at the end of a day in UTC.
        if second == 60, (minutes + 1) % 1440 != 0 { throw .noSuchTime }
        let seconds = (date.daysSinceEpoch * 1440 + minutes) * 60 + second
        return Int64(seconds) * 1_000_000 + Int64(microsecond)
    }

    private func number(_ text: Span<UInt8>, _ range: Range<Int>) throws(TimestampError) -> Int {
        var number = 0
        for i in range {
            guard let digit = digit(text[i]) else { throw .malformed }
            number = number * 10 + digit
        }
        return number
    }

    private func digit(_ byte: UInt8) -> Int? {
        let digit = byte &- UInt8(ascii: "0")
        return digit < 10 ? Int(digit) : nil
    }
}
