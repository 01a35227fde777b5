extension ID {
    /// Reads the 36-character form of RFC 9562 section 4, `8-4-4-4-12` hexadecimal digits in any case.
    ///
    /// `nil` for every other form: no braces, no `urn:uuid:`, no missing hyphens.
    public init?(_ text: String) {
        self.init(utf8: text.utf8Span.span)
    }

    /// Reads the 36-character form from its UTF-8 bytes.
    public init?(utf8 text: Span<UInt8>) {
        let hyphen = UInt8(ascii: "-")
        guard text.count == ID.textBytes, text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen,
            let a = Hex.number(text, 0..<8), let b = Hex.number(text, 9..<13), let c = Hex.number(text, 14..<18),
            let d = Hex.number(text, 19..<23), let e = Hex.number(text, 24..<36)
        else { return nil }
        self.init(high: a << 32 | b << 16 | c, low: d << 48 | e)
    }

    /// The bytes of an identity's text.
    static let textBytes = 36

    /// Appends the 36 characters, in lower case.
    func append(to span: inout OutputSpan<UInt8>) {
        Hex.append(high >> 32, digits: 8, to: &span)
        span.append(UInt8(ascii: "-"))
        Hex.append(high >> 16, digits: 4, to: &span)
        span.append(UInt8(ascii: "-"))
        Hex.append(high, digits: 4, to: &span)
        span.append(UInt8(ascii: "-"))
        Hex.append(low >> 48, digits: 4, to: &span)
        span.append(UInt8(ascii: "-"))
        Hex.append(low, digits: 12, to: &span)
    }
}

extension ID: LosslessStringConvertible {
    /// The 36 characters, in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: ID.textBytes) { buffer in
            var span = OutputSpan(buffer: buffer, initializedCount: 0)
            append(to: &span)
            return span.finalize(for: buffer)
        }
    }
}
