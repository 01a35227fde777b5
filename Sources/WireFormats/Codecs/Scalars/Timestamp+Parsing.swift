extension Timestamp {
    /// What is accepted from the wire: 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999Z, which RFC 3339 can write.
    public static let wireRange =
        Timestamp(microseconds: -62_135_596_800_000_000)...Timestamp(microseconds: 253_402_300_799_999_999)

    /// The most digits accepted after the point.
    static let fractionDigitsMax = 30

    /// Reads RFC 3339 (section 5.6) with `T` or `t`, any offset, and a fraction of up to 30 digits.
    ///
    /// A finer fraction is rounded to the nearest microsecond, half a microsecond to the later one, and the carry goes
    /// as far as it must: `23:59:59.9999995` is the next day. A leap second is accepted where one can be, at 23:59:60
    /// UTC, and reads as the second after it: `23:59:60.5Z` is `00:00:00.5Z`.
    ///
    /// - Throws: what is wrong with the text.
    public init(_ text: String) throws(TimestampError) {
        try self.init(utf8: text.utf8Span.span)
    }

    /// Reads RFC 3339 from its UTF-8 bytes.
    public init(utf8 text: Span<UInt8>) throws(TimestampError) {
        var fields = TimestampFields()
        try fields.read(text)
        let timestamp = Timestamp(microseconds: try fields.microseconds())
        guard Timestamp.wireRange.contains(timestamp) else { throw .outOfRange }
        self = timestamp
    }
}

/// The parts of an RFC 3339 timestamp as written.
private struct TimestampFields {
    var date = CivilDate(year: 0, month: 0, day: 0)
    var hour = 0
    var minute = 0
    var second = 0
    /// 0 to 1,000,000: rounding may reach the next second.
    var microsecond = 0
    var offsetMinutes = 0

    /// `YYYY-MM-DDThh:mm:ss` takes 19 bytes.
    private static let secondsEnd = 19

    mutating func read(_ text: Span<UInt8>) throws(TimestampError) {
        guard text.count > TimestampFields.secondsEnd, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] | 0x20 == UInt8(ascii: "t"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
        else { throw .malformed }
        date.year = try number(text, 0..<4)
        date.month = try number(text, 5..<7)
        date.day = try number(text, 8..<10)
        hour = try number(text, 11..<13)
        minute = try number(text, 14..<16)
        second = try number(text, 17..<19)
        var offset = TimestampFields.secondsEnd
        if text[offset] == UInt8(ascii: ".") { try readFraction(text, &offset) }
        try readOffset(text, from: offset)
    }

    /// Reads the point and the digits, and leaves `offset` after them.
    private mutating func readFraction(_ text: Span<UInt8>, _ offset: inout Int) throws(TimestampError) {
        offset += 1
        var digits = 0
        while offset < text.count, let digit = digit(text[offset]) {
            if digits < 6 { microsecond = microsecond * 10 + digit }
            // The seventh digit alone decides: from 5 up it is at least half a microsecond.
            if digits == 6, digit >= 5 { microsecond += 1 }
            digits += 1
            offset += 1
        }
        guard digits > 0 else { throw .malformed }
        guard digits <= Timestamp.fractionDigitsMax else { throw .fractionTooLong }
        for _ in 0..<max(6 - digits, 0) { microsecond *= 10 }
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

    /// Microseconds since 1970-01-01T00:00:00Z. The year has four digits, so nothing overflows.
    func microseconds() throws(TimestampError) -> Int64 {
        guard (1...12).contains(date.month), date.day >= 1,
            date.day <= CivilDate.days(inMonth: date.month, of: date.year),
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
