extension ID {
    /// Reads the 36-character form of RFC 9562 section 4, `8-4-4-4-12` hexadecimal digits in any case.
    ///
    /// `nil` for every other form: no braces, no `urn:uuid:`, no missing hyphens.
    public init?(_ text: String) {
        self.init(utf8: text.utf8Span.span)
    }

    /// Reads the 36-character form from its UTF-8 bytes.
    public init?(utf8 text: Span<UInt8>) {
        guard text.count == ID.textBytes else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        for i in 0..<ID.textBytes {
            if ID.isHyphen(at: i) {
                guard text[i] == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Hex.value(text[i]) else { return nil }
                // Sixteen digits for each half: the second half starts after the third hyphen, at 19.
                if i < 19 {
                    halves.high = halves.high << 4 | UInt64(digit)
                } else {
                    halves.low = halves.low << 4 | UInt64(digit)
                }
            }
        }
        self.init(high: halves.high, low: halves.low)
    }

    /// The bytes of an identity's text.
    static let textBytes = 36

    private static func isHyphen(at offset: Int) -> Bool {
        offset == 8 || offset == 13 || offset == 18 || offset == 23
    }

    /// Appends the 36 characters, in lower case.
    func append(to span: inout OutputSpan<UInt8>) {
        var shift: UInt64 = 64
        var half = high
        for i in 0..<ID.textBytes {
            if ID.isHyphen(at: i) {
                span.append(UInt8(ascii: "-"))
                continue
            }
            if shift == 0 {
                half = low
                shift = 64
            }
            shift &-= 4
            span.append(Hex.digit(UInt8(truncatingIfNeeded: half &>> shift) & 15))
        }
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
