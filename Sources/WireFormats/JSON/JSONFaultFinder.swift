/// A second, independent reader of RFC 8259 that keeps nothing and answers where the first fault is.
///
/// simdjson says only that a document is bad. This one is slower, so it reads what simdjson has refused. It knows all
/// of our bans but the one on duplicate keys. O(n) time; one byte of memory per level of nesting.
struct JSONFaultFinder {
    private var text: JSONTextScanner
    private let depthMax: Int
    /// The closing byte that each open array or object needs, outermost first.
    private var closings: [UInt8] = []

    /// The first fault in `bytes`; `nil` when they are a good document.
    static func fault(in bytes: UnsafeRawBufferPointer, depthMax: Int) -> JSONError? {
        var finder = JSONFaultFinder(text: JSONTextScanner(bytes: bytes), depthMax: depthMax)
        do throws(JSONError) {
            try finder.readDocument()
            return nil
        } catch {
            return error
        }
    }

    private mutating func readDocument() throws(JSONError) {
        if text.startsWithByteOrderMark { throw .byteOrderMark }
        text.skipSpace()
        if text.isAtEnd { throw .empty }
        while true {
            // An opening byte leaves us before the container's first value; anything else has completed a value.
            if try !readValueOrOpening() { continue }
            if try !readClosingsAndComma() { break }
        }
        if !text.isAtEnd { throw .trailingContent(offset: text.offset) }
    }

    /// Reads a scalar, an empty container, or the opening of one up to its first value.
    ///
    /// - Returns: whether a value is complete.
    private mutating func readValueOrOpening() throws(JSONError) -> Bool {
        guard let byte = text.byte else { throw text.unexpected }
        switch byte {
        case UInt8(ascii: "{"):
            try open(closing: UInt8(ascii: "}"))
            if try closes() { return true }
            try readKey()
            return false
        case UInt8(ascii: "["):
            try open(closing: UInt8(ascii: "]"))
            return try closes()
        case UInt8(ascii: "\""): try text.readString()
        case UInt8(ascii: "t"): try text.readLiteral("true")
        case UInt8(ascii: "f"): try text.readLiteral("false")
        case UInt8(ascii: "n"): try text.readLiteral("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try text.readNumber()
        default: throw text.unexpected
        }
        text.skipSpace()
        return true
    }

    private mutating func open(closing: UInt8) throws(JSONError) {
        guard closings.count < depthMax else { throw .tooDeep(max: depthMax, offset: text.offset) }
        closings.append(closing)
        text.advance()
        text.skipSpace()
    }

    /// Whether the innermost container closes here; then its end has been read.
    private mutating func closes() throws(JSONError) -> Bool {
        guard let closing = closings.last, text.byte == closing else { return false }
        closings.removeLast()
        text.advance()
        text.skipSpace()
        return true
    }

    /// After a value: reads what closes, then the comma and, in an object, the next key.
    ///
    /// - Returns: `false` when the outermost value is complete.
    private mutating func readClosingsAndComma() throws(JSONError) -> Bool {
        while let closing = closings.last {
            if try closes() { continue }
            guard text.byte == UInt8(ascii: ",") else { throw text.unexpected }
            text.advance()
            text.skipSpace()
            if closing == UInt8(ascii: "}") { try readKey() }
            return true
        }
        return false
    }

    private mutating func readKey() throws(JSONError) {
        guard text.byte == UInt8(ascii: "\"") else { throw text.unexpected }
        try text.readString()
        text.skipSpace()
        guard text.byte == UInt8(ascii: ":") else { throw text.unexpected }
        text.advance()
        text.skipSpace()
    }
}
