import StrictJSON

/// Base64 with the standard alphabet and padding, RFC 4648 section 4: the wire form of `.data`.
///
/// Reading is strict, so that every sequence of bytes has one text: no white space, no missing padding (section 3.2),
/// no foreign characters (3.3), and the unused bits of the last character are zero (3.5).
package enum Base64 {
    /// The base64 text of `data`. O(n).
    package static func encode(_ data: [UInt8]) -> String {
        var text: [UInt8] = []
        data.withSpan { append($0, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes base64 from the text's UTF-8; `nil` if the text is not strict base64. O(n).
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        guard text.count > 0 else { return [] }
        let padding = text[text.count - 1] != pad ? 0 : text[text.count - 2] != pad ? 1 : 2
        let lastQuad = text.count - 4
        var isGood = true
        let data = [UInt8](capacity: text.count / 4 * 3) { output in
            for offset in stride(from: 0, to: text.count, by: 4) {
                let kept = offset == lastQuad ? 3 - padding : 3
                guard let quad = quad(text, at: offset, kept: kept) else {
                    isGood = false
                    return
                }
                output.append(UInt8(truncatingIfNeeded: quad >> 16))
                if kept > 1 { output.append(UInt8(truncatingIfNeeded: quad >> 8)) }
                if kept > 2 { output.append(UInt8(truncatingIfNeeded: quad)) }
            }
        }
        return isGood ? data : nil
    }

    package static func decode(_ text: String) -> [UInt8]? { text.withUTF8Span { decode($0) } }

    /// Encodes bytes in the URL-safe alphabet without padding, RFC 4648 section 5, for URLs and headers.
    package static func encodeURLSafe(_ data: [UInt8]) -> String {
        var text: [UInt8] = []
        data.withSpan { append($0, to: &text) }
        for index in text.indices {
            if text[index] == UInt8(ascii: "+") { text[index] = UInt8(ascii: "-") }
            if text[index] == UInt8(ascii: "/") { text[index] = UInt8(ascii: "_") }
        }
        let padding = (3 - data.count % 3) % 3
        return String(decoding: text[..<(text.count - padding)], as: UTF8.self)
    }

    /// Decodes URL-safe base64; `nil` if the text is not valid. The standard alphabet is accepted too; padding is not.
    package static func decodeURLSafe(_ text: String) -> [UInt8]? {
        var standard = Array(text.utf8)
        if standard.last == pad { return nil }
        for index in standard.indices {
            if standard[index] == UInt8(ascii: "-") { standard[index] = UInt8(ascii: "+") }
            if standard[index] == UInt8(ascii: "_") { standard[index] = UInt8(ascii: "/") }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(pad) }
        return standard.withSpan { decode($0) }
    }

    /// Appends the base64 text of `data`.
    static func append(_ data: Span<UInt8>, to text: inout [UInt8]) {
        text.append(addingCapacity: (data.count + 2) / 3 * 4) { output in
            var offset = 0
            while offset < data.count {
                let count = min(3, data.count - offset)
                let quad =
                    UInt32(data[offset]) << 16 | (count > 1 ? UInt32(data[offset + 1]) << 8 : 0)
                    | (count > 2 ? UInt32(data[offset + 2]) : 0)
                output.append(character(quad >> 18))
                output.append(character(quad >> 12))
                output.append(count > 1 ? character(quad >> 6) : pad)
                output.append(count > 2 ? character(quad) : pad)
                offset += 3
            }
        }
    }

    private static let pad = UInt8(ascii: "=")

    /// Returns the 24 bits that four base64 characters encode. Only the first `kept` of the three bytes are data, so
    /// characters that encode only later bytes, such as padding, are not read. Returns `nil` for a character outside
    /// the alphabet, or if an unused bit is not zero.
    private static func quad(_ text: Span<UInt8>, at offset: Int, kept: Int) -> UInt32? {
        var bits: UInt32 = 0
        for i in 0...kept {
            guard let value = value(text[offset + i]) else { return nil }
            bits |= value << UInt32(18 - 6 * i)
        }
        let unused: UInt32 = kept == 3 ? 0 : kept == 2 ? 0xFF : 0xFFFF
        return bits & unused == 0 ? bits : nil
    }

    /// The base64 character for the low six bits of `bits`.
    private static func character(_ bits: UInt32) -> UInt8 {
        switch UInt8(truncatingIfNeeded: bits & 63) {
        case let bits where bits < 26: UInt8(ascii: "A") &+ bits
        case let bits where bits < 52: UInt8(ascii: "a") &+ (bits &- 26)
        case let bits where bits < 62: UInt8(ascii: "0") &+ (bits &- 52)
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character &- UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character &- UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character &- UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
