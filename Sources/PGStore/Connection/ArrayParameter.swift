package import WireFormats

/// A column of values for one `$n::type[]`, filled row by row and sent as one parameter.
///
/// `unnest($1::uuid[], $2::text[], …)` over a few of these upserts any number of rows with one statement. The
/// bytes are written straight into the binary format of arrays (`array_recv` in PostgreSQL's `arrayfuncs.c`):
/// five 32-bit words (dimensions, whether any is null, element type, length, lower bound), then each element as
/// its length and bytes.
package struct ArrayParameter: Sendable {
    package let type: SQLType
    package private(set) var count = 0
    private var hasNull = false
    private var bytes: [UInt8]

    private static let headerByteCount = 20
    private static let nullLength: Int32 = -1

    /// - Parameter capacity: how many values to make room for; only a hint.
    package init(_ type: SQLType, capacity: Int = 0) {
        self.type = type
        bytes = []
        bytes.reserveCapacity(Self.headerByteCount + capacity * 20)
        bytes.append(contentsOf: repeatElement(0, count: Self.headerByteCount))
    }

    /// The array as it stands, one-dimensional with lower bound 1.
    package var parameter: Parameter {
        var array = bytes
        array.store(bigEndian: Int32(count == 0 ? 0 : 1), at: 0)
        array.store(bigEndian: Int32(hasNull ? 1 : 0), at: 4)
        array.store(bigEndian: type.oid, at: 8)
        array.store(bigEndian: Int32(count), at: 12)
        array.store(bigEndian: Int32(1), at: 16)
        if count == 0 { array.removeSubrange(12...) }
        return Parameter(oid: type.arrayOID, content: .bytes(array))
    }

    package mutating func appendNull() {
        count += 1
        hasNull = true
        bytes.append(bigEndian: Self.nullLength)
    }

    package mutating func append(bool value: Bool) {
        begin(.bool, byteCount: 1)
        bytes.append(value ? 1 : 0)
    }

    package mutating func append(int value: Int64) {
        begin(.int8, byteCount: 8)
        bytes.append(bigEndian: value)
    }

    package mutating func append(double value: Double) {
        begin(.float8, byteCount: 8)
        bytes.append(bigEndian: value.bitPattern)
    }

    package mutating func append(id value: ID) {
        begin(.uuid, byteCount: 16)
        bytes.append(bigEndian: value.high)
        bytes.append(bigEndian: value.low)
    }

    package mutating func append(timestamp value: Timestamp) {
        begin(.timestamptz, byteCount: 8)
        bytes.append(bigEndian: PostgresEpoch.microseconds(of: value))
    }

    package mutating func append(decimal value: DecimalText) {
        begin(.numeric, byteCount: 0)
        let start = bytes.count
        NumericFormat.append(value, to: &bytes)
        bytes.store(bigEndian: Int32(bytes.count - start), at: start - 4)
    }

    package mutating func append(text value: String) {
        begin(.text, byteCount: value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    package mutating func append(json value: String) {
        begin(.json, byteCount: value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    package mutating func append(bytes value: [UInt8]) {
        begin(.bytea, byteCount: value.count)
        bytes.append(contentsOf: value)
    }

    /// Bytes already in the binary format of the array's type: UTF-8 for `text` and `json`, anything for `bytea`.
    package mutating func append(encoded value: Span<UInt8>) {
        precondition(type == .text || type == .json || type == .bytea, "Only variable-length types take raw bytes.")
        begin(type, byteCount: value.count)
        value.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// An attribute's value, which must be null or of the array's type.
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

    private mutating func begin(_ valueType: SQLType, byteCount: Int) {
        precondition(valueType == type, "A \(type) array was given a \(valueType) value.")
        count += 1
        bytes.append(bigEndian: Int32(byteCount))
    }
}

extension Parameter {
    /// An array of text: for `= ANY ($1)` and `unnest($1)`.
    package static func texts(_ values: some Sequence<String>) -> Parameter {
        var array = ArrayParameter(.text)
        for value in values { array.append(text: value) }
        return array.parameter
    }

    /// An array of UUIDs.
    package static func ids(_ values: some Sequence<ID>) -> Parameter {
        var array = ArrayParameter(.uuid)
        for value in values { array.append(id: value) }
        return array.parameter
    }

    /// An array of 64-bit integers.
    package static func ints(_ values: some Sequence<Int64>) -> Parameter {
        var array = ArrayParameter(.int8)
        for value in values { array.append(int: value) }
        return array.parameter
    }
}
