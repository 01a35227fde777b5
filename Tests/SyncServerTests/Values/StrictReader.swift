import StrictJSON
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// A device's reader that takes what docs/protocol.md allows and nothing else: its own JSON reader, the version's JSON
/// Schema for the types of values, and what a schema cannot say. It shares no code with what writes pages.
struct StrictReader {
    private let schema: JSONSchemaInterpreter
    private let projections: [String: Projection]

    init(_ plan: Plan, version: Int) throws {
        let written = JSONWriter.text { ChangesetSchema(plan, version: version)?.write(to: &$0) }
        schema = try JSONSchemaInterpreter(root: try JSONValue(parsing: Array(written.utf8)))
        projections = Dictionary(
            plan.projections[version].compactMap { $0 }.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    /// The page's changes.
    ///
    /// - Throws: what is wrong with it.
    func changes(of body: [UInt8]) throws -> [JSONValue] {
        let page = try StrictJSON.value(body)
        guard case .array(let changes) = page["changes"] else { throw Refused(description: "a page without changes") }
        for change in changes { try check(change) }
        return changes
    }

    private func check(_ change: JSONValue) throws {
        func require(_ isGood: Bool, _ fault: String) throws {
            if !isGood { throw Refused(description: "\(fault): \(String(change.text.prefix(400)))") }
        }
        let op = change["op"].string
        try require(op == "update" || op == "delete", "an unknown operation")
        try require((change["seq"].int ?? 0) > 0, "no number")
        for stamp in [change["stamp"], change["created"], change["deleted"]] + change["stamps"].members.values
        where !stamp.isNull {
            try require((0..<1 << 53).contains(stamp.int ?? -1), "a stamp that is none")
        }
        try require(change["stamp"].int != nil, "no stamp")
        guard op == "update" else { return try require(change["fields"].isNull, "a deletion with fields") }
        let projection = try #require(change["entity"].string.flatMap { projections[$0] })
        let names = projection.fields.map(\.name)
        try require(change["fields"].members.keys.sorted() == names.sorted(), "not all fields, or others")
        let sent: JSONValue = [
            "entity": change["entity"], "id": change["id"], "op": "create", "stamp": 7, "fields": change["fields"],
        ]
        for name in names {
            let one = sent.with("fields", .object([name: change["fields"][name]])).with("op", "update")
            try require(try schema.accepts(["changes": [one]]), "a value of \(name) that the schema does not have")
        }
        for field in projection.fields where field.type.kind == .decimal || field.type.kind == .date {
            guard let text = change["fields"][field.name].string else { continue }
            try require(isShortest(text, field.type.kind), "‘\(text)’ of \(field.name) is not in its one form")
        }
    }

    private func isShortest(_ text: String, _ kind: AttributeType.Kind) -> Bool {
        if kind == .date {
            return text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(\d{3}|\d{3}(\d\d[1-9]|\d[1-9]0|[1-9]00)))?Z/)
                != nil
        }
        return text.utf8.count <= 1002 && text.wholeMatch(of: /0|-?([1-9]\d*|0(?=\.))(\.\d*[1-9])?/) != nil
    }
}

/// JSON as RFC 8259 and docs/protocol.md have it, read character by character.
struct StrictJSON {
    private var bytes: ArraySlice<UInt8>
    private static let depthMax = 64

    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    static func value(_ bytes: [UInt8]) throws -> JSONValue {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw Fault(description: "no UTF-8") }
        var reader = StrictJSON(bytes: bytes[...])
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.bytes.isEmpty else { throw Fault(description: "more than one value") }
        return value
    }

    private func fault(_ text: String) -> Fault {
        Fault(description: "\(text) before ‘\(String(decoding: bytes.prefix(60), as: UTF8.self))’")
    }

    private mutating func skipSpace() {
        while let byte = bytes.first, [9, 10, 13, 32].contains(byte) { bytes.removeFirst() }
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes.starts(with: text.utf8) else { return false }
        bytes = bytes.dropFirst(text.utf8.count)
        return true
    }

    private mutating func value(depth: Int) throws -> JSONValue {
        skipSpace()
        if take("null") { return .null }
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if bytes.first == UInt8(ascii: "\"") { return .string(try string()) }
        guard bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") else { return try number() }
        guard depth < StrictJSON.depthMax else { throw fault("too deep") }
        return take("[") ? .array(try elements(depth: depth + 1)) : .object(try members(depth: depth + 1))
    }

    private mutating func elements(depth: Int) throws -> [JSONValue] {
        var elements: [JSONValue] = []
        skipSpace()
        if take("]") { return [] }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            if take("]") { return elements }
            guard take(",") else { throw fault("no comma") }
        }
    }

    private mutating func members(depth: Int) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        var names: Set<[UInt8]> = []
        guard take("{") else { throw fault("no object") }
        skipSpace()
        if take("}") { return [:] }
        while true {
            skipSpace()
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else { throw fault("a doubled key") }
            skipSpace()
            guard take(":") else { throw fault("no colon") }
            members[name] = try value(depth: depth)
            skipSpace()
            if take("}") { return members }
            guard take(",") else { throw fault("no comma") }
        }
    }

    private mutating func string() throws -> String {
        guard take("\"") else { throw fault("no string") }
        var text: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += String(try escaped()).utf8
            case 0..<0x20: throw fault("a control character")
            default: text.append(byte)
            }
        }
        throw fault("no end of a string")
    }

    private mutating func escaped() throws -> Unicode.Scalar {
        let simple: [UInt8: Unicode.Scalar] = [
            0x22: "\"", 0x5C: "\\", 0x2F: "/", 0x62: "\u{8}", 0x66: "\u{C}", 0x6E: "\n", 0x72: "\r", 0x74: "\t",
        ]
        guard let kind = bytes.popFirst() else { throw fault("no escape") }
        if let scalar = simple[kind] { return scalar }
        guard kind == UInt8(ascii: "u") else { throw fault("an unknown escape") }
        let unit = try hex()
        if unit == 0 { throw fault("U+0000") }
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, take("\\u") else { throw fault("half of a surrogate pair") }
        let second = try hex()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
        else { throw fault("half of a surrogate pair") }
        return scalar
    }

    private mutating func hex() throws -> UInt32 {
        let digits = String(decoding: bytes.prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, let unit = UInt32(digits, radix: 16) else { throw fault("no four digits") }
        bytes = bytes.dropFirst(4)
        return unit
    }

    private mutating func number() throws -> JSONValue {
        let text = String(decoding: bytes.prefix { "+-.0123456789eE".utf8.contains($0) }, as: UTF8.self)
        guard text.wholeMatch(of: /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/) != nil else { throw fault("no number") }
        bytes = bytes.dropFirst(text.utf8.count)
        if let whole = Int64(text) { return .int(whole) }
        if text.allSatisfy({ $0.isNumber || $0 == "-" }), UInt64(text) == nil { throw fault("a number out of range") }
        guard let double = Double(text), double.isFinite else { throw fault("a number out of range") }
        return JSONValue(number: double)
    }
}
