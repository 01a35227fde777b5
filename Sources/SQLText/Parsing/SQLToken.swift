/// A word, a sign, a literal or a comment of a script.
struct SQLToken: Sendable {
    let bytes: Range<Int>
    let isComment: Bool
    let isSemicolon: Bool

    /// Reads the scanner's answer, which is in Protocol Buffers' encoding: `ScanResult.tokens` is field 2, and of a
    /// `ScanToken` 1 is the start, 2 the end and 4 the kind. Numbers are varints; a field of 0 is left out.
    static func tokens(in message: UnsafeRawBufferPointer) -> [SQLToken] {
        var reader = FieldReader(rest: message[...])
        var tokens: [SQLToken] = []
        while let field = reader.next() {
            guard field.number == 2, case .bytes(let encoded) = field.value else { continue }
            var inner = FieldReader(rest: encoded)
            var numbers = [0, 0, 0, 0, 0]
            while let field = inner.next() {
                if case .varint(let value) = field.value, field.number < numbers.count { numbers[field.number] = value }
            }
            let isComment = numbers[4] == Self.dashedComment || numbers[4] == Self.starredComment
            tokens.append(
                SQLToken(
                    bytes: numbers[1]..<max(numbers[1], numbers[2]), isComment: isComment,
                    isSemicolon: numbers[4] == Self.semicolon))
        }
        return tokens
    }

    /// `SQL_COMMENT` and `C_COMMENT` of `pg_query.proto`.
    private static let dashedComment = 275
    private static let starredComment = 276
    /// A sign's kind is its ASCII code.
    private static let semicolon = 59
}

/// Steps over the fields of a message of Protocol Buffers.
private struct FieldReader {
    var rest: Slice<UnsafeRawBufferPointer>

    enum Value {
        case varint(Int)
        case bytes(Slice<UnsafeRawBufferPointer>)
    }

    /// `nil` at the end, and at a kind of field that the scanner does not write.
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
