/// A check for names that PostgreSQL reads in another way than they are written.
enum NameCheck {
    /// The longest name, in bytes. PostgreSQL's manual, section 4.1.1: NAMEDATALEN is 64.
    private static let bytesMax = 63
    private static let shownMax = 40

    /// Checks the names among the tokens.
    ///
    /// - Throws: an error at the first name that is too long or contains an invisible character. PostgreSQL would cut
    ///   off a long name, so that it may become equal to another one. It would read a no-break space as a part of the
    ///   name.
    static func check(_ tokens: [SQLToken], of source: SourceText) throws(SQLSyntaxError) {
        for (index, token) in tokens.enumerated() {
            let bytes = source.bytes[token.bytes]
            switch token.kind {
            case .comment, .text, .semicolon: continue
            case .name where isQuoted(bytes): break
            case .name, .other:
                if let scalar = unseen(in: bytes) {
                    throw source.error(
                        "\(name(of: scalar)) is no blank to PostgreSQL but part of a name. Type a space, or quote "
                            + "the name", at: token.bytes.lowerBound)
                }
            }
            // The written form, with quotes and escapes, is longer than the name.
            guard token.kind == .name, bytes.count > bytesMax else { continue }
            let name = name(at: index, in: tokens, of: source)
            guard name.utf8.count > bytesMax else { continue }
            throw source.error(
                "the name ‘\(name.prefix(shownMax))…’ has \(name.utf8.count) bytes, and PostgreSQL cuts names off "
                    + "after \(bytesMax). Choose a shorter one", at: token.bytes.lowerBound)
        }
    }

    private static let quote = UInt8(ascii: "\"")

    /// Returns true for a quoted name: `"name"`, or `U&"name"`.
    private static func isQuoted(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.first == quote || isEscaped(bytes) }

    /// Returns true for a name whose characters may be written as code points: `U&"d\0061t"`.
    static func isEscaped(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count > 3 && bytes.dropFirst(2).first == quote && bytes.dropFirst().first == UInt8(ascii: "&")
    }

    /// Returns the name that the token at `index` contains, as PostgreSQL reads it. A `UESCAPE` clause after the name
    /// is taken into account.
    static func name(at index: Int, in tokens: [SQLToken], of source: SourceText) -> String {
        let bytes = source.bytes[tokens[index].bytes]
        guard isEscaped(bytes) else { return unquoted(bytes) }
        var sign: Character = "\\"
        let behind = tokens[(index + 1)...].lazy.filter { !$0.isComment }.prefix(2).map { source.text($0.bytes) }
        if behind.first?.lowercased() == "uescape", let text = behind.dropFirst().first {
            sign = text.dropFirst().first ?? sign
        }
        return unescaped(unquoted(bytes.dropFirst(2)), sign)
    }

    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.first == quote, bytes.count > 1 else { return text.lowercased() }
        return String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }

    /// Replaces the escape sequences of a quoted name, such as `\0061`, by the characters that they stand for. `sign`
    /// is the escape character (PostgreSQL manual, section 4.1.2.3).
    private static func unescaped(_ text: String, _ sign: Character) -> String {
        var units: [UInt16] = []
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == sign, let next = rest.first, next != sign else {
                if character == sign { rest = rest.dropFirst() }
                units += Array(String(character).utf16)
                continue
            }
            if next == "+" { rest = rest.dropFirst() }
            let digits = rest.prefix(next == "+" ? 6 : 4)
            rest = rest.dropFirst(digits.count)
            // PostgreSQL refuses other digits.
            guard let number = UInt32(digits, radix: 16) else { continue }
            units += Unicode.Scalar(number).map { Array(String($0).utf16) } ?? [UInt16(truncatingIfNeeded: number)]
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Returns the first invisible character of an unquoted token; `nil` if there is none. Spaces, tabs and line breaks
    /// do not occur, because they end a token. The exception is VT, which PostgreSQL 15 does not treat as a blank.
    private static func unseen(in bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        if bytes.allSatisfy({ (0x21...0x7E).contains($0) }) { return nil }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.first { scalar in
            if scalar.properties.isDefaultIgnorableCodePoint || scalar == emptyPattern { return true }
            return switch scalar.properties.generalCategory {
            case .format, .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    /// The Braille pattern without dots. It is invisible, but Unicode classifies it as a visible sign.
    private static let emptyPattern: Unicode.Scalar = "\u{2800}"

    private static func name(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
