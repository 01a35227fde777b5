package import WireFormats

/// One parameter `$n::type[]` that holds a column of values, which are appended one by one.
///
/// A few such parameters upsert any number of rows in one statement, with the expression `unnest($1::uuid[],
/// $2::text[], …)`. The values are encoded directly in the binary format of arrays (`array_recv` in PostgreSQL's
/// `arrayfuncs.c`). The format begins with five 32-bit words: number of dimensions, null flag, element type, length,
/// lower bound. Then come the length and the bytes of each element.
package struct ArrayParameter: Sendable {
    package let type: SQLType
    package private(set) var count = 0
    private var hasNull = false
    /// The encoded array up to `end`: its header and elements. The bytes after `end` are unused. The buffer grows by
    /// half of its size, so that appending an element seldom copies the others.
    private var bytes: [UInt8]
    private var end = Self.headerByteCount

    private static let headerByteCount = 20
    private static let lengthByteCount = 4
    private static let nullLength: Int32 = -1

    /// Creates an empty array.
    ///
    /// - Parameter capacity: the number of values to make room for; only a hint.
    package init(_ type: SQLType, capacity: Int = 0) {
        self.type = type
        bytes = Array(repeating: 0, count: Self.headerByteCount + capacity * type.typicalElementByteCount)
    }

    /// Returns the parameter: a one-dimensional array with lower bound 1, or an array without dimensions if it is
    /// empty.
    package consuming func finished() -> Parameter {
        let words = [count == 0 ? 0 : 1, hasNull ? 1 : 0, type.oid, UInt32(count), 1]
        bytes.withUnsafeMutableBytes { buffer in
            for (index, word) in words.enumerated() {
                buffer.storeBytes(of: word.bigEndian, toByteOffset: index * 4, as: UInt32.self)
            }
        }
        bytes.removeLast(bytes.count - (count == 0 ? 12 : end))
        return Parameter(oid: type.arrayOID, content: .bytes(bytes))
    }

    package mutating func appendNull() {
        hasNull = true
        append(type, byteCount: 0, length: Self.nullLength) { _ in }
    }

    package mutating func append(bool value: Bool) {
        append(.bool, word: value ? 1 : 0 as UInt8)
    }

    package mutating func append(int value: Int64) {
        append(.int8, word: value)
    }

    /// Appends an integer or null.
    package mutating func append(int value: Int64?) {
        if let value { append(int: value) } else { appendNull() }
    }

    package mutating func append(double value: Double) {
        append(.float8, word: value.bitPattern)
    }

    package mutating func append(id value: ID) {
        append(.uuid, byteCount: 16) {
            $0.storeBytes(of: value.high.bigEndian, as: UInt64.self)
            $0.storeBytes(of: value.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
    }

    /// Appends an ID or null.
    package mutating func append(id value: ID?) {
        if let value { append(id: value) } else { appendNull() }
    }

    package mutating func append(timestamp value: Timestamp) {
        append(.timestamptz, word: PostgresEpoch.microseconds(of: value))
    }

    package mutating func append(decimal value: DecimalText) {
        let number = NumericFormat(value)
        append(.numeric, byteCount: number.byteCount) { number.write(to: $0) }
    }

    package mutating func append(text value: String) {
        append(value.utf8Span.span, as: .text)
    }

    package mutating func append(json value: String) {
        append(value.utf8Span.span, as: .json)
    }

    package mutating func append(bytes value: [UInt8]) {
        append(value.span, as: .bytea)
    }

    /// Appends a value whose bytes are already in the binary format of the array's element type: UTF-8 for `text` and
    /// `json`, any bytes for `bytea`.
    package mutating func append(encoded value: Span<UInt8>) {
        precondition(type == .text || type == .json || type == .bytea, "Only variable-length types take raw bytes.")
        append(value, as: type)
    }

    /// Appends an attribute's value, which must be null or of the array's element type.
    package mutating func append(_ value: Value) {
        switch value {
        case .null: appendNull()
        case .bool(let x): append(bool: x)
        case .int(let x): append(int: x)
        case .double(let x): append(double: x)
        case .decimal(let x): append(decimal: x)
        case .string(let x): append(text: x)
        case .date(let x): append(timestamp: x)
        case .uuid(let x): append(id: x)
        case .data(let x): append(bytes: x)
        case .json(let x): append(json: x)
        }
    }

    private mutating func append(_ value: Span<UInt8>, as valueType: SQLType) {
        append(valueType, byteCount: value.count) { room in value.withUnsafeBytes { room.copyMemory(from: $0) } }
    }

    @inline(__always)
    private mutating func append<Word: FixedWidthInteger & BitwiseCopyable>(_ valueType: SQLType, word: Word) {
        append(valueType, byteCount: MemoryLayout<Word>.size) { $0.storeBytes(of: word.bigEndian, as: Word.self) }
    }

    /// Appends an element: makes room, writes the element's length, and passes the room for its bytes to `write`.
    ///
    /// Inlined, because a push calls this once for each value of each record.
    @inline(__always)
    private mutating func append(
        _ valueType: SQLType, byteCount: Int, length: Int32? = nil, _ write: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        precondition(valueType == type, "A \(type) array was given a \(valueType) value.")
        let start = end + Self.lengthByteCount
        end = start + byteCount
        count += 1
        if end > bytes.count { grow() }
        bytes.withUnsafeMutableBytes { [end] buffer in
            let length = length ?? Int32(byteCount)
            buffer.storeBytes(of: length.bigEndian, toByteOffset: start - Self.lengthByteCount, as: Int32.self)
            write(UnsafeMutableRawBufferPointer(rebasing: buffer[start..<end]))
        }
    }

    private mutating func grow() {
        bytes.append(contentsOf: repeatElement(0, count: end + end / 2 - bytes.count))
    }
}

extension SQLType {
    /// The number of bytes of one element of an array, with its length field; an estimate for types without a fixed
    /// size.
    fileprivate var typicalElementByteCount: Int {
        switch self {
        case .bool: 5
        case .int8, .float8, .timestamptz: 12
        case .uuid: 20
        case .numeric: 16
        case .text, .json, .bytea: 36
        }
    }
}

extension Parameter {
    /// Creates an array of text, for `= ANY ($1)` and `unnest($1)`.
    package static func texts(_ values: some Sequence<String>) -> Parameter {
        var array = ArrayParameter(.text)
        for value in values { array.append(text: value) }
        return array.finished()
    }

    /// Creates an array of UUIDs.
    package static func ids(_ values: some Sequence<ID>) -> Parameter {
        var array = ArrayParameter(.uuid)
        for value in values { array.append(id: value) }
        return array.finished()
    }

    /// Creates an array of 64-bit integers.
    package static func ints(_ values: some Sequence<Int64>) -> Parameter {
        var array = ArrayParameter(.int8)
        for value in values { array.append(int: value) }
        return array.finished()
    }
}
