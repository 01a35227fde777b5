/// Appends JSON text (RFC 8259, no white space) to a byte buffer, and places the commas.
///
/// Values are written in order: `beginObject()`, `key(…)`, a value, …, `endObject()`. The caller must alternate keys
/// and values, and must close arrays and objects; nothing checks this.
package struct JSONWriter: Sendable {
    /// The bytes that were written.
    @usableFromInline package var bytes: [UInt8]
    /// True if a comma comes before the next value or key.
    @usableFromInline var needsComma = false

    /// Makes a writer with room for `capacity` bytes before it has to grow.
    package init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Removes all bytes that were written, and keeps the memory for the next ones.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    package mutating func endObject() { end(UInt8(ascii: "}")) }
    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    package mutating func endArray() { end(UInt8(ascii: "]")) }

    package mutating func key(_ key: JSONKey) {
        text(beforeValue: key.text)
    }

    /// Writes text that precedes a value, such as a comma, a key and a colon; the caller then writes the value. The
    /// text must begin with a comma, which is left out before an object's first member.
    package mutating func text(beforeValue text: [UInt8]) {
        text.withUnsafeBufferPointer { self.text(beforeValue: $0) }
    }

    /// Writes text that precedes a value, such as a comma, a key and a colon; the caller then writes the value. The
    /// text must begin with a comma, which is left out before an object's first member.
    package mutating func text(beforeValue text: UnsafeBufferPointer<UInt8>) {
        append(needsComma ? text : UnsafeBufferPointer(rebasing: text[1...]))
        needsComma = false
    }

    package mutating func key(_ name: String) {
        string(name)
        colon()
    }

    /// Writes a key from its UTF-8 bytes.
    mutating func key(_ name: UnsafeBufferPointer<UInt8>) {
        string(name)
        colon()
    }

    package mutating func null() { literal("null") }

    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    /// Writes a value that is JSON text already, such as canonical text or a `jsonb` column's bytes.
    package mutating func raw(json: Span<UInt8>) {
        json.withUnsafeBufferPointer { raw(json: $0) }
    }

    package mutating func raw(json: String) {
        json.withUTF8Span { raw(json: $0) }
    }

    package mutating func raw(json: UnsafeBufferPointer<UInt8>) {
        comma()
        append(json)
        needsComma = true
    }

    private mutating func begin(_ byte: UInt8) {
        comma()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func colon() {
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func literal(_ text: StaticString) {
        text.withUTF8Buffer { raw(json: $0) }
    }

    /// Writes a comma if one must precede the next value. The caller calls `wroteValue()` after it has written that
    /// value.
    @inlinable @inline(__always)
    package mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    @inlinable @inline(__always)
    package mutating func wroteValue() { needsComma = true }

    /// Appends the bytes in one copy.
    @inline(__always)
    mutating func append(_ slice: UnsafeBufferPointer<UInt8>) {
        guard slice.count > 0 else { return }
        bytes.append(contentsOf: slice)
    }
}
