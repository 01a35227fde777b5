/// A view of simdjson's tape and string buffer (simdjson doc/tape.md), which represent a parsed document. The view does
/// not own their memory, so it is valid only while the document exists.
///
/// The tape is an array of 64-bit words. The top byte of a value's first word is a tag for the kind of the value:
///
/// - A string's word contains an offset into the string buffer.
/// - A number's word is followed by a word with the number's bits.
/// - The word at the start of an array or object has the index after its end in the low 32 bits. The word at the end
///   has the index of the start. The keys and values of an object alternate.
package struct JSONTape {
    @usableFromInline package let words: UnsafePointer<UInt64>
    @usableFromInline package let strings: UnsafePointer<UInt8>

    /// The tags in the top bytes of the tape's words. In simdjson's format they are ASCII characters.
    @usableFromInline
    package enum Tag {
        @inlinable package static var null: UInt8 { UInt8(ascii: "n") }
        @inlinable package static var `true`: UInt8 { UInt8(ascii: "t") }
        @inlinable package static var `false`: UInt8 { UInt8(ascii: "f") }
        @inlinable package static var int: UInt8 { UInt8(ascii: "l") }
        @inlinable package static var uint: UInt8 { UInt8(ascii: "u") }
        @inlinable package static var double: UInt8 { UInt8(ascii: "d") }
        @inlinable package static var string: UInt8 { UInt8(ascii: "\"") }
        @inlinable package static var array: UInt8 { UInt8(ascii: "[") }
        @inlinable package static var arrayEnd: UInt8 { UInt8(ascii: "]") }
        @inlinable package static var object: UInt8 { UInt8(ascii: "{") }
        @inlinable package static var objectEnd: UInt8 { UInt8(ascii: "}") }
    }

    /// The index of the document's outermost value, which follows the root word at index 0.
    static let rootIndex = 1

    var end: Int { Int(truncatingIfNeeded: words[0] & 0x00FF_FFFF_FFFF_FFFF) }

    @inlinable @inline(__always)
    package func tag(_ index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: words[index] &>> 56)
    }

    /// The tape index after the value at `index` and after everything nested in that value. O(1).
    @inlinable @inline(__always)
    package func after(_ index: Int) -> Int {
        switch tag(index) {
        case Tag.array, Tag.object: Int(UInt32(truncatingIfNeeded: words[index]))
        case Tag.int, Tag.uint, Tag.double: index &+ 2
        default: index &+ 1
        }
    }

    /// The UTF-8 bytes of the string or key at `index`, unescaped.
    @inlinable @inline(__always)
    package func utf8(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        let start = strings + Int(truncatingIfNeeded: words[index] & 0x00FF_FFFF_FFFF_FFFF)
        let count = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
        return UnsafeBufferPointer(start: start + 4, count: Int(count))
    }

    /// The string or key at `index`. It was found to be UTF-8 when it was parsed, and is not validated again.
    func string(_ index: Int) -> String {
        String(copyingUTF8: Span(_unsafeElements: utf8(index)))
    }

    /// True if the string or key at `index` contains U+0000.
    func containsNUL(_ index: Int) -> Bool { Bytes.containsZero(UnsafeRawBufferPointer(utf8(index))) }

    /// True if the string at `index` has exactly these bytes.
    func string(_ index: Int, equals other: UnsafeBufferPointer<UInt8>) -> Bool {
        JSONTape.equal(utf8(index), other)
    }

    @inlinable
    package static func equal(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        Bytes.equal(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
    }

    /// True if the first string's bytes sort before the second's. A string sorts before a longer one that begins with
    /// it.
    func string(_ first: Int, precedes second: Int) -> Bool {
        Bytes.precedes(UnsafeRawBufferPointer(utf8(first)), UnsafeRawBufferPointer(utf8(second)))
    }
}
