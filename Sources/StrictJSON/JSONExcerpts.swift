/// Finds the byte range of each element of an array in a JSON text, so that the elements can be kept exactly as they
/// were written. The text must have been accepted by `JSONDocument` before, because the grammar is not checked again.
package struct JSONExcerpts {
    private let bytes: [UInt8]
    private var offset = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The byte ranges of the elements of an array. The array is the value of the root object's member at index
    /// `member`.
    package static func elements(ofMember member: Int, in bytes: [UInt8]) -> [Range<Int>] {
        var excerpts = JSONExcerpts(bytes)
        return excerpts.elements(ofMember: member)
    }

    private mutating func elements(ofMember member: Int) -> [Range<Int>] {
        skip(UInt8(ascii: "{"))
        for _ in 0..<member {
            skipKey()
            skipValue()
            skip(UInt8(ascii: ","))
        }
        skipKey()
        skip(UInt8(ascii: "["))
        var found: [Range<Int>] = []
        skipSpace()
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "]") {
            let start = offset
            skipValue()
            found.append(start..<offset)
            skipSpace()
            if offset < bytes.count, bytes[offset] == UInt8(ascii: ",") { offset += 1 }
            skipSpace()
        }
        return found
    }

    private mutating func skip(_ byte: UInt8) {
        skipSpace()
        precondition(offset < bytes.count && bytes[offset] == byte, "The text was not read by JSONDocument.")
        offset += 1
    }

    private mutating func skipKey() {
        skipSpace()
        skipString()
        skip(UInt8(ascii: ":"))
    }

    private mutating func skipValue() {
        skipSpace()
        var depth = 0
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""): skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                offset += 1
            case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return }
                offset += 1
            default: offset += 1
            }
            if depth == 0, [UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(bytes[offset - 1]) {
                return
            }
        }
    }

    private mutating func skipString() {
        offset += 1
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        offset += 1
    }

    private mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
    }
}
