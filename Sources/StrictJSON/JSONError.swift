/// The reason why bytes are not an accepted JSON document: RFC 8259, and our additional limits and bans.
///
/// Offsets count bytes from the start of the input. Every description may be shown to the client that sent the bytes.
package enum JSONError: Error, Hashable, Sendable {
    /// An input of no bytes, or of white space only.
    case empty
    case tooLarge(bytes: Int, max: Int)
    /// A nesting of arrays and objects deeper than `max`. `offset` is that of the first array or object that is too
    /// deep.
    case tooDeep(max: Int, offset: Int)
    /// U+FEFF before the document, which RFC 8259 section 8.1 forbids to send.
    case byteOrderMark
    /// A byte that is not allowed at its position, outside strings and numbers.
    case unexpectedByte(UInt8, offset: Int)
    /// An input that ends inside a value.
    case unexpectedEnd(offset: Int)
    /// Something other than white space after the document.
    case trailingContent(offset: Int)
    case invalidUTF8(offset: Int)
    /// A character from U+0000 to U+001F inside a string. JSON allows it only as an escape.
    case controlCharacter(offset: Int)
    case invalidEscape(offset: Int)
    /// An escape from `\uD800` to `\uDFFF` (half of a surrogate pair) without its other half. The high half must come
    /// first.
    case loneSurrogate(offset: Int)
    /// A malformed number by RFC 8259, section 6, such as one with a leading zero, or without a digit after its point.
    case invalidNumber(offset: Int)
    /// An integer beyond 64 bits, or a number whose nearest `Double` is infinite.
    case numberOutOfRange(offset: Int)
    /// Two members of one object with the same key; `path` is the second one's JSON pointer (RFC 6901).
    case duplicateKey(path: String)
    /// Not JSON, for a reason that could not be determined.
    case malformed
    case outOfMemory
}

extension JSONError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "The document is empty."
        case .tooLarge(let bytes, let max): "The document has \(bytes) bytes; at most \(max) are accepted."
        case .tooDeep(let max, let offset): "The document nests deeper than \(max) levels at byte \(offset)."
        case .byteOrderMark: "The document starts with a byte order mark."
        case .unexpectedByte(let byte, let offset): "Unexpected \(JSONError.named(byte)) at byte \(offset)."
        case .unexpectedEnd(let offset): "The document ends too early, at byte \(offset)."
        case .trailingContent(let offset): "Something follows the document at byte \(offset)."
        case .invalidUTF8(let offset): "The text is not valid UTF-8 at byte \(offset)."
        case .controlCharacter(let offset): "A string holds an unescaped control character at byte \(offset)."
        case .invalidEscape(let offset): "A string holds an invalid escape at byte \(offset)."
        case .loneSurrogate(let offset): "A string holds half of a surrogate pair at byte \(offset)."
        case .invalidNumber(let offset): "A number is malformed at byte \(offset)."
        case .numberOutOfRange(let offset): "A number is out of range at byte \(offset)."
        case .duplicateKey(let path): "An object has the same key twice: \(JSONError.shortened(path))"
        case .malformed: "The document is not valid JSON."
        case .outOfMemory: "There is not enough memory to read the document."
        }
    }

    /// The byte offset of the fault; `nil` for a fault without an offset, such as `.tooLarge`.
    package var offset: Int? {
        switch self {
        case .tooDeep(_, let offset), .unexpectedByte(_, let offset), .unexpectedEnd(let offset),
            .trailingContent(let offset), .invalidUTF8(let offset), .controlCharacter(let offset),
            .invalidEscape(let offset), .loneSurrogate(let offset), .invalidNumber(let offset),
            .numberOutOfRange(let offset):
            offset
        case .byteOrderMark: 0
        case .empty, .tooLarge, .duplicateKey, .malformed, .outOfMemory: nil
        }
    }

    private static func named(_ byte: UInt8) -> String {
        if (0x21...0x7E).contains(byte) { return "'\(Character(Unicode.Scalar(byte)))'" }
        let hex = String(byte, radix: 16, uppercase: true)
        return "0x" + (hex.utf8.count < 2 ? "0" : "") + hex
    }

    /// Returns the path, without its middle if it is long, because a key may be as long as the document.
    private static func shortened(_ path: String) -> String {
        let kept = 60
        guard path.utf8.count > 4 * kept else { return path }
        // Scalars, not characters: any number of combining marks is one character.
        let scalars = path.unicodeScalars
        return "\(String(scalars.prefix(kept)))…\(String(scalars.suffix(kept)))"
    }
}
