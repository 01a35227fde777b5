extension JSONTextScanner {
    /// Reads a string. The position moves from the opening quote to the byte after the closing quote.
    ///
    /// - Returns: the bytes between the quotes, in which escapes are not yet replaced.
    mutating func readString() throws(JSONError) -> Slice<UnsafeRawBufferPointer> {
        advance()
        let start = offset
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                advance()
                return bytes[start..<offset - 1]
            case UInt8(ascii: "\\"): try readEscape()
            case 0..<0x20: throw .controlCharacter(offset: offset)
            case 0x20..<0x80: advance()
            default: try readUTF8()
            }
        }
        throw .unexpectedEnd(offset: offset)
    }

    private mutating func readEscape() throws(JSONError) {
        let start = offset
        advance()
        guard let kind = byte else { throw .unexpectedEnd(offset: offset) }
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            advance()
        case UInt8(ascii: "u"):
            advance()
            let unit = try readHex(of: start)
            if UTF16.isTrailSurrogate(unit) { throw .loneSurrogate(offset: start) }
            if UTF16.isLeadSurrogate(unit) { try readTrailSurrogate(of: start) }
        default: throw .invalidEscape(offset: start)
        }
    }

    private mutating func readTrailSurrogate(of start: Int) throws(JSONError) {
        guard byte == UInt8(ascii: "\\") else { throw .loneSurrogate(offset: start) }
        let second = offset
        advance()
        guard byte == UInt8(ascii: "u") else { throw .loneSurrogate(offset: start) }
        advance()
        guard try UTF16.isTrailSurrogate(readHex(of: second)) else { throw .loneSurrogate(offset: start) }
    }

    private mutating func readHex(of start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte else { throw .unexpectedEnd(offset: offset) }
            guard let digit = Hex.value(byte) else { throw .invalidEscape(offset: start) }
            unit = unit << 4 | UInt16(digit)
            advance()
        }
        return unit
    }

    /// Reads one UTF-8 character of two to four bytes. Accepts only the well-formed sequences of the Unicode Standard,
    /// table 3-7.
    private mutating func readUTF8() throws(JSONError) {
        let start = offset
        let (count, second): (Int, ClosedRange<UInt8>) =
            switch bytes[start] {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: throw .invalidUTF8(offset: start)
            }
        guard start + count <= bytes.count, second.contains(bytes[start + 1]),
            (start + 2..<max(start + 2, start + count)).allSatisfy({ bytes[$0] & 0xC0 == 0x80 })
        else { throw .invalidUTF8(offset: start) }
        offset = start + count
    }
}
