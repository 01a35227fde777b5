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
        guard text.count == ID.textBytes, text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen
        else { return nil }
        let halves = text.withUnsafeBytes { bytes in
            func eight(_ first: Int, _ second: Int) -> UInt64? {
                let (low, high) = (
                    bytes.loadUnaligned(fromByteOffset: first, as: UInt32.self),
                    bytes.loadUnaligned(fromByteOffset: second, as: UInt32.self)
                )
                return Hex.number(eight: UInt64(UInt32(littleEndian: low)) | UInt64(UInt32(littleEndian: high)) << 32)
            }
            return (eight(0, 4), eight(9, 14), eight(19, 24), eight(28, 32))
        }
        guard case (let a?, let b?, let c?, let d?) = halves else { return nil }
        self.init(high: a << 32 | b, low: c << 32 | d)
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
