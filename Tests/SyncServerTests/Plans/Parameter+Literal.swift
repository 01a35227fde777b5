import WireFormats

@testable import Postgres

extension Parameter {
    /// The value as SQL text. EXPLAIN of a prepared statement takes its values in no other way.
    var literal: String {
        if isNull { return "NULL" }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        bytes.withUnsafeMutableBytes { write(to: $0) }
        if let type = SQLType.allCases.first(where: { $0.oid == oid }) { return Self.literal(bytes[...], type) }
        guard let type = SQLType.allCases.first(where: { $0.arrayOID == oid }) else {
            preconditionFailure("No type of ours has the number \(oid).")
        }
        return "ARRAY[\(Self.elements(bytes[...], type).joined(separator: ", "))]::\(type.name)[]"
    }

    /// Returns the elements of an array in binary form: five words, then each element behind its length.
    private static func elements(_ bytes: ArraySlice<UInt8>, _ type: SQLType) -> [String] {
        if word(bytes) == 0 { return [] }
        var rest = bytes.dropFirst(20)
        var elements: [String] = []
        while !rest.isEmpty {
            let length = Int(Int32(bitPattern: UInt32(word(rest))))
            rest = rest.dropFirst(4)
            elements.append(length < 0 ? "NULL" : literal(rest.prefix(length), type))
            rest = rest.dropFirst(max(0, length))
        }
        return elements
    }

    private static func literal(_ bytes: ArraySlice<UInt8>, _ type: SQLType) -> String {
        let number = Int64(bitPattern: word(bytes, count: 8))
        switch type {
        case .bool: return bytes.first == 1 ? "true" : "false"
        case .int8: return "(\(number))::bigint"
        case .float8: return "'\(Double(bitPattern: UInt64(bitPattern: number)))'::double precision"
        case .timestamptz: return "(timestamptz '2000-01-01 00:00:00Z' + interval '\(number) microseconds')"
        case .uuid: return "'\(hex(bytes))'::uuid"
        case .bytea: return "'\\x\(hex(bytes))'::bytea"
        case .text, .json: return quotedLiteral(String(decoding: bytes, as: UTF8.self)) + "::\(type.name)"
        case .numeric: preconditionFailure("Nothing here has decimals.")
        }
    }

    private static func word(_ bytes: ArraySlice<UInt8>, count: Int = 4) -> UInt64 {
        bytes.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
