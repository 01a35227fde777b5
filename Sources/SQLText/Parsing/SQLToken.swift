/// A token of a script: a word, a sign, a literal or a comment.
struct SQLToken: Sendable {
    let bytes: Range<Int>
    let kind: Kind
    /// True if the token is a keyword of PostgreSQL, and not a chosen name.
    let isKeyword: Bool

    var isComment: Bool { kind == .comment }
    var isSemicolon: Bool { kind == .semicolon }

    /// The kinds of token.
    enum Kind: Sendable {
        case comment, semicolon, text
        /// A name, quoted or not.
        case name
        case other
    }

    /// Reads the tokens from the scanner's result, a `ScanResult` message in Protocol Buffers' encoding. Field 2 of the
    /// message contains a token. In a token, field 1 is the start, field 2 the end, field 4 the kind, and field 5 the
    /// kind of keyword. A field whose value is 0 is left out.
    ///
    /// - Parameter bytes: the text that was scanned.
    static func tokens(in message: UnsafeRawBufferPointer, of bytes: [UInt8]) -> [SQLToken] {
        var reader = FieldReader(rest: message[...])
        var tokens: [SQLToken] = []
        while let field = reader.next() {
            guard field.number == 2, case .bytes(let encoded) = field.value else { continue }
            var inner = FieldReader(rest: encoded)
            var numbers = [0, 0, 0, 0, 0, 0]
            while let field = inner.next() {
                if case .varint(let value) = field.value, field.number < numbers.count { numbers[field.number] = value }
            }
            var end = max(numbers[1], numbers[2])
            // The library reports a wrong end for this kind: that of the first letter.
            if numbers[4] == Self.escapedName { end = max(end, Self.end(ofEscapedNameAt: numbers[1], in: bytes)) }
            tokens.append(
                SQLToken(
                    bytes: numbers[1]..<end, kind: Self.kinds[numbers[4]] ?? .other,
                    isKeyword: numbers[5] > Self.noKeyword))
        }
        return tokens
    }

    /// The kinds of token, by the numbers of the `Token` enumeration in `pg_query.proto`. The number of a single
    /// character is its ASCII code. The other numbers stand for `IDENT`, `UIDENT`, `SCONST`, `USCONST`, `BCONST`,
    /// `XCONST`, `SQL_COMMENT` and `C_COMMENT`.
    private static let kinds: [Int: Kind] = [
        59: .semicolon, 258: .name, 259: .name, 261: .text, 262: .text, 263: .text, 264: .text, 275: .comment,
        276: .comment,
    ]
    /// The token number of a name with escapes (`UIDENT`), such as `U&"d\0061t"`.
    private static let escapedName = 259

    /// Returns the position behind the closing quote; two quotes in a row belong to the name.
    private static func end(ofEscapedNameAt start: Int, in bytes: [UInt8]) -> Int {
        let quote = UInt8(ascii: "\"")
        var index = start + 3
        while index < bytes.count {
            guard bytes[index] == quote else { index += 1; continue }
            guard index + 1 < bytes.count, bytes[index + 1] == quote else { return index + 1 }
            index += 2
        }
        return bytes.count
    }

    /// The value of `NO_KEYWORD` in the parser's `KeywordKind` enumeration. All keywords have greater values.
    private static let noKeyword = 0
}

/// A reader of the fields of a Protocol Buffers message.
private struct FieldReader {
    var rest: Slice<UnsafeRawBufferPointer>

    enum Value {
        case varint(Int)
        case bytes(Slice<UnsafeRawBufferPointer>)
    }

    /// Returns the next field of the message. Returns `nil` at the end, and at a wire type that the parser does not
    /// use.
    mutating func next() -> (number: Int, value: Value)? {
        guard let key = varint() else { return nil }
        switch key & 7 {
        case 0:
            guard let value = varint() else { return nil }
            return (key >> 3, .varint(value))
        case 2:
            guard let count = varint(), count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return (key >> 3, .bytes(rest.prefix(count)))
        default: return nil
        }
    }

    private mutating func varint() -> Int? {
        var value = 0
        var shift = 0
        while let byte = rest.popFirst(), shift < 63 {
            value |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }
}
