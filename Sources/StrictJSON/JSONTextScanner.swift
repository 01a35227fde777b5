/// A scanner that reads the tokens of a JSON text (RFC 8259, sections 2, 3, 6 and 7) one after another.
struct JSONTextScanner {
    let bytes: UnsafeRawBufferPointer
    var offset = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset >= bytes.count }

    /// The next byte; `nil` at the end.
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The error at the current position of a malformed text: an unexpected byte, or an unexpected end.
    var unexpected: JSONError {
        guard let byte else { return .unexpectedEnd(offset: offset) }
        return .unexpectedByte(byte, offset: offset)
    }

    var startsWithByteOrderMark: Bool { bytes.starts(with: [0xEF, 0xBB, 0xBF]) }

    mutating func advance() { offset += 1 }

    mutating func skipSpace() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { advance() }
    }

    mutating func readLiteral(_ literal: StaticString) throws(JSONError) {
        for i in 0..<literal.utf8CodeUnitCount {
            guard byte == literal.utf8Start[i] else { throw unexpected }
            advance()
        }
    }

    /// A number as an integer or a double. It is a `double` if it is written with a point or an exponent.
    enum Number {
        case int(Int64)
        case uint(UInt64)
        case double(Double)
    }

    mutating func readNumber() throws(JSONError) -> Number {
        let start = offset
        if byte == UInt8(ascii: "-") { advance() }
        if byte == UInt8(ascii: "0") {
            advance()
            if isDigit { throw .invalidNumber(offset: start) }
        } else {
            try readDigits(of: start)
        }
        var isInteger = true
        if byte == UInt8(ascii: ".") {
            isInteger = false
            advance()
            try readDigits(of: start)
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            isInteger = false
            advance()
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { advance() }
            try readDigits(of: start)
        }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        if isInteger {
            if let value = Int64(text) { return .int(value) }
            if let value = UInt64(text) { return .uint(value) }
        } else if let value = Double(text), value.isFinite {
            return .double(value)
        }
        throw .numberOutOfRange(offset: start)
    }

    private var isDigit: Bool {
        guard let byte else { return false }
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private mutating func readDigits(of start: Int) throws(JSONError) {
        guard isDigit else { throw isAtEnd ? .unexpectedEnd(offset: offset) : .invalidNumber(offset: start) }
        while isDigit { advance() }
    }
}
