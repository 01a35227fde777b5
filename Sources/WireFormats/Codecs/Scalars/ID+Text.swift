import StrictJSON

extension ID {
    /// Reads the 36-character form of RFC 9562 section 4, `8-4-4-4-12` hexadecimal digits in any case.
    ///
    /// `nil` for every other form: no braces, no `urn:uuid:`, no missing hyphens.
    public init?(_ text: String) {
        guard let id = text.withUTF8Span({ ID(utf8: $0) }) else { return nil }
        self = id
    }

    /// Reads the 36-character form from its UTF-8 bytes.
    package init?(utf8 text: Span<UInt8>) {
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

    /// The length of an id's text in bytes.
    static let textBytes = 36

    /// Appends the 36 characters, in lower case.
    func append(to span: inout OutputSpan<UInt8>) {
        let (a, b) = (Hex.digits(UInt32(high >> 32)), Hex.digits(UInt32(truncatingIfNeeded: high)))
        let (c, d) = (Hex.digits(UInt32(low >> 32)), Hex.digits(UInt32(truncatingIfNeeded: low)))
        span.withUnsafeMutableBufferPointer { buffer, count in
            precondition(buffer.count - count >= ID.textBytes, "There is no room for an id.")
            let text = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
            func put(_ four: UInt64, at offset: Int) {
                text[offset - 1] = UInt8(ascii: "-")
                text.storeBytes(
                    of: UInt32(truncatingIfNeeded: four).littleEndian, toByteOffset: offset, as: UInt32.self)
            }
            text.storeBytes(of: a.littleEndian, as: UInt64.self)
            put(b, at: 9)
            put(b >> 32, at: 14)
            put(c, at: 19)
            put(c >> 32, at: 24)
            text.storeBytes(of: d.littleEndian, toByteOffset: 28, as: UInt64.self)
            count += ID.textBytes
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
