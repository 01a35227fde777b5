/// One value of a JSON document: a position that is cheap to copy and keeps its document alive.
///
/// Nothing is decoded before it is read, and nothing is allocated except the `String`s that are read.
package struct JSONNode {
    @usableFromInline package let document: JSONDocument
    /// The index of the node's first word on the tape (the array of words into which the document was parsed). It is a
    /// variable because an iteration moves one node from child to child, instead of making a node for each.
    @usableFromInline package var index: Int

    /// Makes the node of the value that begins at `index` on the tape (the array of words into which the document was
    /// parsed).
    @inlinable @inline(__always)
    package init(document: JSONDocument, index: Int) {
        self.document = document
        self.index = index
    }

    /// The kind of a node. A number's kind follows from its spelling: `1` is an `int`, `1.0` and `1e0` are `double`.
    package enum Kind: Hashable, Sendable {
        case null, bool
        /// An integer that an `Int64` holds.
        case int
        /// An integer above `Int64.max` that a `UInt64` holds.
        case uint
        /// A number with a point or an exponent; finite.
        case double
        case string, array, object
    }

    package var kind: Kind {
        switch document.tape.tag(index) {
        case JSONTape.Tag.null: .null
        case JSONTape.Tag.true, JSONTape.Tag.false: .bool
        case JSONTape.Tag.int: .int
        case JSONTape.Tag.uint: .uint
        case JSONTape.Tag.double: .double
        case JSONTape.Tag.string: .string
        case JSONTape.Tag.array: .array
        default: .object
        }
    }

    @inlinable package var isNull: Bool { document.tape.tag(index) == JSONTape.Tag.null }

    @inlinable package var bool: Bool? {
        switch document.tape.tag(index) {
        case JSONTape.Tag.true: true
        case JSONTape.Tag.false: false
        default: nil
        }
    }

    /// The value of an `int`; `nil` for every other kind, also for `1.0` and `1e3`.
    @inlinable package var int64: Int64? {
        guard document.tape.tag(index) == JSONTape.Tag.int else { return nil }
        return Int64(bitPattern: document.tape.words[index + 1])
    }

    /// The value of an integer of kind `int` or `uint` that is not negative; `nil` for every other node.
    package var uint64: UInt64? {
        switch document.tape.tag(index) {
        case JSONTape.Tag.int: UInt64(exactly: Int64(bitPattern: document.tape.words[index + 1]))
        case JSONTape.Tag.uint: document.tape.words[index + 1]
        default: nil
        }
    }

    /// The value of any number as the nearest `Double`, always finite. `-0.0` is read as `0.0`, the form in which
    /// doubles are stored. `nil` if the node is not a number.
    ///
    /// Integers beyond 2^53 round to nearest, ties to even.
    @inlinable package var double: Double? {
        let bits = document.tape.words[index + 1]
        switch document.tape.tag(index) {
        case JSONTape.Tag.double: return Double(bitPattern: bits) + 0.0
        case JSONTape.Tag.int: return Double(Int64(bitPattern: bits))
        case JSONTape.Tag.uint: return Double(bits)
        default: return nil
        }
    }

    /// The value of a string, unescaped; `nil` for every other kind. It may contain U+0000, see `containsNUL`.
    package var string: String? {
        guard document.tape.tag(index) == JSONTape.Tag.string else { return nil }
        return document.tape.string(index)
    }

    /// True if this is a string of exactly these bytes. No `String` is made or compared, whatever its length.
    package func isString(_ text: JSONKey) -> Bool {
        withUTF8 { bytes in bytes.withUnsafeBufferPointer { $0.elementsEqual(text.name) } } ?? false
    }

    /// Calls `body` with the string's UTF-8 bytes, in which escapes are resolved, and returns the result of `body`.
    /// Returns `nil` if the node is not a string.
    @inlinable
    package func withUTF8<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R? {
        guard document.tape.tag(index) == JSONTape.Tag.string else { return nil }
        return try body(Span(_unsafeElements: document.tape.utf8(index)))
    }

    /// True if this string, or any string or key within this node, contains U+0000. PostgreSQL can store it neither in
    /// `text` nor in `jsonb`.
    ///
    /// O(n) in the bytes of the strings below this node.
    package var containsNUL: Bool {
        let tape = document.tape
        let end = tape.after(index)
        var index = index
        while index < end {
            switch tape.tag(index) {
            case JSONTape.Tag.string:
                if tape.containsNUL(index) { return true }
                index += 1
            case JSONTape.Tag.array, JSONTape.Tag.object: index += 1
            default: index = tape.after(index)
            }
        }
        return false
    }
}
