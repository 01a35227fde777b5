/// Appends JSON text (RFC 8259, no white space) to a byte buffer, placing the commas.
///
/// Values are written in order: `beginObject()`, `key(…)`, a value, …, `endObject()`. That keys and values alternate
/// and that containers are closed is the caller's part; it is checked neither here nor by the type.
public struct JSONWriter: Sendable {
    /// What has been written.
    public var bytes: [UInt8]
    /// Whether a comma comes before the next value or key.
    private var needsComma = false

    /// A writer with room for `capacity` bytes before it has to grow.
    public init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Forgets what was written and keeps the room.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    public mutating func key(_ key: JSONKey) {
        text(beforeValue: key.text)
    }

    /// Text that ends where a value is due, and begins with the comma that may have to come before it.
    package mutating func text(beforeValue text: [UInt8]) {
        text.withUnsafeBufferPointer { self.text(beforeValue: $0) }
    }

    /// The same.
    package mutating func text(beforeValue text: UnsafeBufferPointer<UInt8>) {
        append(needsComma ? text : UnsafeBufferPointer(rebasing: text[1...]))
        needsComma = false
    }

    public mutating func key(_ name: String) {
        string(name)
        colon()
    }

    /// A key from its UTF-8 bytes.
    mutating func key(_ name: UnsafeBufferPointer<UInt8>) {
        string(name)
        colon()
    }

    public mutating func null() { literal("null") }

    public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    /// A value that is JSON text already, such as canonical text or a `jsonb` column's bytes.
    public mutating func raw(json: Span<UInt8>) {
        json.withUnsafeBufferPointer { raw(json: $0) }
    }

    public mutating func raw(json: String) {
        json.withUTF8Span { raw(json: $0) }
    }

    public mutating func raw(json: UnsafeBufferPointer<UInt8>) {
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

    /// What comes before every value; its writer says `wroteValue()` after it.
    @inline(__always)
    mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    @inline(__always)
    mutating func wroteValue() { needsComma = true }

    /// Appends in one copy.
    @inline(__always)
    mutating func append(_ slice: UnsafeBufferPointer<UInt8>) {
        guard slice.count > 0 else { return }
        bytes.append(contentsOf: slice)
    }
}
