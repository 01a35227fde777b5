import StrictJSON

extension Value {
    /// True if the value is or contains a string with U+0000. PostgreSQL can store it neither in `text` nor in `jsonb`.
    ///
    /// For `.json` every string and key in the JSON counts. O(n) in the bytes of the text. See also
    /// `JSONNode.containsNUL`.
    package var containsNUL: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .json(let text): text.withUTF8Span { Value.hasNULEscape($0) }
        case .null, .bool, .int, .double, .decimal, .date, .uuid, .data: false
        }
    }

    /// Returns true if a string in JSON text contains U+0000. Valid JSON can contain it only as the escape `\u0000`,
    /// and has backslashes only in escapes.
    private static func hasNULEscape(_ json: Span<UInt8>) -> Bool {
        var offset = 0
        while offset < json.count {
            guard json[offset] == UInt8(ascii: "\\") else {
                offset += 1
                continue
            }
            // `\u0000` is one way to write it and the only one. Any other escape is skipped with the byte it names.
            if offset + 5 < json.count, json[offset + 1] == UInt8(ascii: "u"),
                (2...5).allSatisfy({ json[offset + $0] == UInt8(ascii: "0") })
            {
                return true
            }
            offset += 2
        }
        return false
    }
}
