package import WireFormats

/// One bound value, already in PostgreSQL's binary format.
package struct Parameter: Sendable {
    /// The `pg_type.oid` of the parameter's declared type.
    package let oid: UInt32
    let content: Content

    /// The encoded value. Small values are stored inline, so that binding them allocates nothing.
    enum Content: Sendable {
        case null
        case byte(UInt8)
        case word(UInt64)
        case pair(UInt64, UInt64)
        case text(String)
        case bytes([UInt8])
    }

    init(oid: UInt32, content: Content) {
        self.oid = oid
        self.content = content
    }

    package static func null(_ type: SQLType) -> Parameter {
        Parameter(oid: type.oid, content: .null)
    }

    package static func bool(_ value: Bool?) -> Parameter {
        Parameter(oid: SQLType.bool.oid, content: value.map { .byte($0 ? 1 : 0) } ?? .null)
    }

    package static func int(_ value: Int64?) -> Parameter {
        Parameter(oid: SQLType.int8.oid, content: value.map { .word(UInt64(bitPattern: $0)) } ?? .null)
    }

    package static func double(_ value: Double?) -> Parameter {
        Parameter(oid: SQLType.float8.oid, content: value.map { .word($0.bitPattern) } ?? .null)
    }

    /// Binds a text. The server refuses U+0000, which PostgreSQL's text cannot hold, with `PGError.invalidInput`.
    package static func text(_ value: String?) -> Parameter {
        Parameter(oid: SQLType.text.oid, content: value.map { .text($0) } ?? .null)
    }

    package static func id(_ value: ID?) -> Parameter {
        Parameter(oid: SQLType.uuid.oid, content: value.map { .pair($0.high, $0.low) } ?? .null)
    }

    /// Binds a time. The server refuses one outside PostgreSQL's range (4713 BC to 294276 AD) with
    /// `PGError.invalidInput`.
    package static func timestamp(_ value: Timestamp?) -> Parameter {
        let content = value.map { Content.word(UInt64(bitPattern: PostgresEpoch.microseconds(of: $0))) }
        return Parameter(oid: SQLType.timestamptz.oid, content: content ?? .null)
    }

    package static func decimal(_ value: DecimalText?) -> Parameter {
        guard let value else { return .null(.numeric) }
        let number = NumericFormat(value)
        var bytes = [UInt8](repeating: 0, count: number.byteCount)
        bytes.withUnsafeMutableBytes { number.write(to: $0) }
        return Parameter(oid: SQLType.numeric.oid, content: .bytes(bytes))
    }

    package static func bytes(_ value: [UInt8]?) -> Parameter {
        Parameter(oid: SQLType.bytea.oid, content: value.map { .bytes($0) } ?? .null)
    }

    /// Binds JSON text. The type `json` stores the text unchanged.
    package static func json(_ text: String?) -> Parameter {
        Parameter(oid: SQLType.json.oid, content: text.map { .text($0) } ?? .null)
    }

    /// Binds the value of an attribute as the column type `type`, which must be the type in which such values are
    /// stored.
    package static func value(_ value: Value, as type: SQLType) -> Parameter {
        let parameter: Parameter
        switch value {
        case .null: return .null(type)
        case .bool(let x): parameter = .bool(x)
        case .int(let x): parameter = .int(x)
        case .double(let x): parameter = .double(x)
        case .decimal(let x): parameter = .decimal(x)
        case .string(let x): parameter = .text(x)
        case .date(let x): parameter = .timestamp(x)
        case .uuid(let x): parameter = .id(x)
        case .data(let x): parameter = .bytes(x)
        case .json(let x): parameter = .json(x)
        }
        precondition(parameter.oid == type.oid, "A \(type) parameter was given a value of another type.")
        return parameter
    }
}

extension Parameter {
    var isNull: Bool {
        if case .null = content { true } else { false }
    }

    /// The number of bytes that `write(to:)` writes: those of the encoded value, without its length field.
    var byteCount: Int {
        switch content {
        case .null: 0
        case .byte: 1
        case .word: 8
        case .pair: 16
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// Writes the encoded value to the first `byteCount` bytes of `buffer`.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        switch content {
        case .null: break
        case .byte(let byte): buffer[0] = byte
        case .word(let word): buffer.storeBytes(of: word.bigEndian, as: UInt64.self)
        case .pair(let high, let low):
            buffer.storeBytes(of: high.bigEndian, as: UInt64.self)
            buffer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        case .text(let text): text.utf8Span.span.withUnsafeBytes { buffer.copyMemory(from: $0) }
        case .bytes(let bytes): bytes.withUnsafeBytes { buffer.copyMemory(from: $0) }
        }
    }
}
