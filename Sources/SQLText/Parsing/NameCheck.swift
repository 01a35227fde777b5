/// Looks for names that PostgreSQL reads otherwise than they are written.
enum NameCheck {
    /// PostgreSQL's manual, section 4.1.1: NAMEDATALEN is 64.
    private static let bytesMax = 63
    private static let shownMax = 40

    /// - Throws: the first name that would be cut off, so that it may become another one's, or that has something in it
    ///   that is not seen, such as a no-break space that was meant to end it.
    static func check(_ tokens: [SQLToken], of source: SourceText) throws(SQLSyntaxError) {
        for token in tokens {
            let bytes = source.bytes[token.bytes]
            switch token.kind {
            case .comment, .text, .semicolon: continue
            case .name where bytes.first == quote: break
            case .name, .other:
                if let scalar = unseen(in: bytes) {
                    throw source.error(
                        "\(name(of: scalar)) is no blank to PostgreSQL but part of a name. Type a space, or quote "
                            + "the name", at: token.bytes.lowerBound)
                }
            }
            guard token.kind == .name, bytes.count > bytesMax else { continue }
            let name = unquoted(bytes)
            guard name.utf8.count > bytesMax else { continue }
            throw source.error(
                "the name ‘\(name.prefix(shownMax))…’ has \(name.utf8.count) bytes, and PostgreSQL cuts names off "
                    + "after \(bytesMax). Choose a shorter one", at: token.bytes.lowerBound)
        }
    }

    private static let quote = UInt8(ascii: "\"")

    /// The name as PostgreSQL has it.
    static func unquoted(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.first == quote, bytes.count > 1 else { return text.lowercased() }
        return String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }

    /// ASCII blanks end a token and are in none, but for VT, which PostgreSQL 15 does not know.
    private static func unseen(in bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        if bytes.allSatisfy({ (0x21...0x7E).contains($0) }) { return nil }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.first { scalar in
            switch scalar.properties.generalCategory {
            case .format, .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    private static func name(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
