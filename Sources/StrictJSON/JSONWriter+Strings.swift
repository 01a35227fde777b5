extension JSONWriter {
    package mutating func string(_ text: String) {
        text.withUTF8Span { string($0) }
    }

    /// Writes a string from its UTF-8 bytes, which must be valid.
    package mutating func string(_ utf8: Span<UInt8>) {
        utf8.withUnsafeBufferPointer { string($0) }
    }

    /// Writes a string from its UTF-8 bytes, which must be valid.
    ///
    /// Only `"`, `\` and U+0000 to U+001F are escaped: RFC 8259 section 7 requires no more. O(n), copying run by run.
    package mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) {
        var stop = JSONWriter.plainEnd(utf8, from: 0)
        if stop == utf8.count { return plain(utf8) }
        comma()
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        while true {
            append(UnsafeBufferPointer(rebasing: utf8[start..<stop]))
            if stop == utf8.count { break }
            escape(utf8[stop])
            start = stop + 1
            stop = JSONWriter.plainEnd(utf8, from: start)
        }
        bytes.append(UInt8(ascii: "\""))
        wroteValue()
    }

    /// Writes a string that needs no escapes, by copying it as a whole.
    private mutating func plain(_ utf8: UnsafeBufferPointer<UInt8>) {
        quoted(utf8.count) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                count += UnsafeMutableBufferPointer(rebasing: buffer[count...]).update(fromContentsOf: utf8)
            }
        }
    }

    /// The offset of the first byte at or after `start` that must be escaped; the length of `utf8` if there is none.
    /// Reads eight bytes at a time.
    private static func plainEnd(_ utf8: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let raw = UnsafeRawBufferPointer(utf8)
        var offset = start
        while offset &+ 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if hasEscape(word) { break }
            offset &+= 8
        }
        while offset < utf8.count {
            let byte = utf8[offset]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            offset &+= 1
        }
        return offset
    }

    /// Returns true if any of the eight bytes of `word` must be escaped.
    ///
    /// Each subtraction sets the high bit of the bytes to be escaped: those below 0x20, quotes or backslashes. Its
    /// borrow may also set the high bit of the next higher byte. But then a byte to be escaped was found already, so
    /// the answer is right. Bytes from 0x80 are never escaped, and are masked out.
    @inline(__always)
    private static func hasEscape(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let control = word &- (ones &* 0x20)
        let quote = (word ^ (ones &* UInt64(UInt8(ascii: "\"")))) &- ones
        let backslash = (word ^ (ones &* UInt64(UInt8(ascii: "\\")))) &- ones
        return (control | quote | backslash) & ~word & (ones &* 0x80) != 0
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            for digit in [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")] { bytes.append(digit) }
            bytes.append(Hex.digit(byte >> 4))
            bytes.append(Hex.digit(byte & 15))
        }
    }
}
