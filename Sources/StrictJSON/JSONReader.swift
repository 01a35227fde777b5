/// A reader of JSON (RFC 8259) in plain Swift. It finds the first fault of a text, and builds the tape (the parsed
/// document) on systems without simdjson.
///
/// simdjson reports only that a document is bad, so this reader reads the documents that simdjson has refused. It
/// checks every rule of this module except that no object has a key twice. O(n) time; if no tape is built, one byte of
/// memory for each level of nesting.
struct JSONReader: ~Copyable {
    private var text: JSONTextScanner
    private let depthMax: Int
    /// The closing bytes of the arrays and objects that are open, outermost first.
    private var closings: [UInt8] = []
    /// The builder of the tape; `nil` if the reader only looks for faults.
    private var builder: JSONTapeBuilder?

    private init(_ bytes: UnsafeRawBufferPointer, depthMax: Int, builder: consuming JSONTapeBuilder?) {
        text = JSONTextScanner(bytes: bytes)
        self.depthMax = depthMax
        self.builder = builder
    }

    /// The first fault in `bytes`; `nil` if they are a valid document.
    static func fault(in bytes: UnsafeRawBufferPointer, depthMax: Int) -> JSONError? {
        var reader = JSONReader(bytes, depthMax: depthMax, builder: nil)
        do throws(JSONError) {
            try reader.readDocument()
            return nil
        } catch {
            return error
        }
    }

    /// Reads `bytes` into a tape.
    ///
    /// - Throws: `JSONError` with the first fault in `bytes`.
    static func tape(of bytes: UnsafeRawBufferPointer, depthMax: Int) throws(JSONError) -> JSONTapeMemory {
        var reader = JSONReader(bytes, depthMax: depthMax, builder: JSONTapeBuilder(textSize: bytes.count))
        try reader.readDocument()
        guard let builder = reader.builder.take() else { throw .malformed }
        return builder.finished()
    }

    private mutating func readDocument() throws(JSONError) {
        if text.startsWithByteOrderMark { throw .byteOrderMark }
        text.skipSpace()
        if text.isAtEnd { throw .empty }
        while true {
            // After an opening byte the reader is before the container's first value; in every other case a value is
            // complete.
            if try !readValueOrOpening() { continue }
            if try !readClosingsAndComma() { break }
        }
        if !text.isAtEnd { throw .trailingContent(offset: text.offset) }
    }

    /// Reads a simple value, an empty array or object, or the start of another array or object.
    ///
    /// - Returns: true if a value is complete.
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
        case UInt8(ascii: "\""):
            let string = try text.readString()
            builder?.string(string)
        case UInt8(ascii: "t"): try readLiteral("true", JSONTape.Tag.true)
        case UInt8(ascii: "f"): try readLiteral("false", JSONTape.Tag.false)
        case UInt8(ascii: "n"): try readLiteral("null", JSONTape.Tag.null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let number = try text.readNumber()
            builder?.number(number)
        default: throw text.unexpected
        }
        text.skipSpace()
        return true
    }

    private mutating func readLiteral(_ literal: StaticString, _ tag: UInt8) throws(JSONError) {
        try text.readLiteral(literal)
        builder?.literal(tag)
    }

    private mutating func open(closing: UInt8) throws(JSONError) {
        guard closings.count < depthMax else { throw .tooDeep(max: depthMax, offset: text.offset) }
        closings.append(closing)
        builder?.beginContainer(closing == UInt8(ascii: "}") ? JSONTape.Tag.object : JSONTape.Tag.array)
        text.advance()
        text.skipSpace()
    }

    /// Reads the closing bracket of the innermost array or object, if it is the next byte. Returns true if it was read.
    private mutating func closes() throws(JSONError) -> Bool {
        guard let closing = closings.last, text.byte == closing else { return false }
        closings.removeLast()
        builder?.endContainer(closing)
        text.advance()
        text.skipSpace()
        return true
    }

    /// Reads the text that follows a value: closing brackets, then a comma and, in an object, the next key.
    ///
    /// - Returns: false if the document's outermost value is complete.
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
        let key = try text.readString()
        builder?.key(key)
        text.skipSpace()
        guard text.byte == UInt8(ascii: ":") else { throw text.unexpected }
        text.advance()
        text.skipSpace()
    }
}
