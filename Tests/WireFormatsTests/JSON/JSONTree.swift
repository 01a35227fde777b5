@testable import StrictJSON
@testable import WireFormats

/// A JSON value as a tree, independent of the document that is tested.
indirect enum JSONTree: Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case string(String)
    case array([JSONTree])
    case object([Member])

    struct Member: Equatable, Sendable {
        var key: String
        var value: JSONTree
    }

    /// The tree that a node describes, through the public reader.
    init(_ node: JSONNode) {
        switch node.kind {
        case .null: self = .null
        case .bool: self = .bool(node.bool!)
        case .int: self = .int(node.int64!)
        case .uint: self = .uint(node.uint64!)
        case .double: self = .double(node.double!)
        case .string: self = .string(node.string!)
        case .array: self = .array(node.elements!.map { JSONTree($0) })
        case .object: self = .object(node.members!.map { Member(key: $0.key, value: JSONTree($0.value)) })
        }
    }

    /// The tree with every object's members in the byte order of their keys.
    var sorted: JSONTree {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let members):
            .object(
                members.map { Member(key: $0.key, value: $0.value.sorted) }
                    .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        default: self
        }
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.int(value)
        case .uint(let value): writer.raw(json: String(value))
        case .double(let value): writer.double(value)
        case .string(let value): writer.string(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(member.key)
                member.value.write(to: &writer)
            }
            writer.endObject()
        }
    }

    static func random(depth: Int, using random: inout SeededRandom) -> JSONTree {
        switch Int.random(in: 0..<(depth > 0 ? 11 : 8), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .int(Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case 3: return .uint(random.next() | 1 << 63)
        case 4: return .double(Double.random(in: -1000...1000, using: &random))
        case 5: return .double(.randomFinite(using: &random))
        case 6, 7: return .string(.random(using: &random))
        case 8:
            let count = Int.random(in: 0...6, using: &random)
            return .array((0..<count).map { _ in .random(depth: depth - 1, using: &random) })
        default:
            var keys = Set<[UInt8]>()
            let count = [0, 1, 3, 10, 40][Int.random(in: 0..<5, using: &random)]
            for _ in 0..<count { keys.insert(Array(String.random(using: &random).utf8)) }
            return .object(
                keys.sorted { $0.count < $1.count }.map {
                    Member(key: String(decoding: $0, as: UTF8.self), value: .random(depth: depth - 1, using: &random))
                })
        }
    }

    /// Returns JSON text of the tree, with white space and escapes at random wherever JSON allows them.
    func wildText(using random: inout SeededRandom) -> String {
        let space = { (random: inout SeededRandom) -> String in
            String((0..<Int.random(in: 0...2, using: &random)).map { _ in " \t\n\r".randomElement(using: &random)! })
        }
        var text = space(&random)
        switch self {
        case .string(let value): text += JSONTree.wildString(value, using: &random)
        case .array(let elements):
            let parts = elements.map { $0.wildText(using: &random) }
            text += "[" + parts.joined(separator: ",") + space(&random) + "]"
        case .object(let members):
            let parts = members.map { member in
                space(&random) + JSONTree.wildString(member.key, using: &random) + space(&random) + ":"
                    + member.value.wildText(using: &random)
            }
            text += "{" + parts.joined(separator: ",") + space(&random) + "}"
        default:
            var writer = JSONWriter()
            write(to: &writer)
            text += String(decoding: writer.bytes, as: UTF8.self)
        }
        return text + space(&random)
    }

    private static func wildString(_ value: String, using random: inout SeededRandom) -> String {
        var text = "\""
        for scalar in value.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            if mustEscape || Int.random(in: 0..<8, using: &random) == 0 {
                for unit in String(scalar).utf16 {
                    let hex = String(unit, radix: 16, uppercase: .random(using: &random))
                    text += "\\u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex
                }
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

extension String {
    /// Returns up to twelve characters that readers or writers often mistreat.
    static func random(using random: inout SeededRandom) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let range: ClosedRange<UInt32> =
                [
                    0x61...0x7A, 0x61...0x7A, 0x20...0x7F, 0...0x1F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF,
                    0x1_0000...0x10_FFFF, 0x22...0x22, 0x5C...0x5C,
                ][Int.random(in: 0..<10, using: &random)]
            text.unicodeScalars.append(Unicode.Scalar(UInt32.random(in: range, using: &random))!)
        }
        return text
    }
}

extension Double {
    /// Returns any finite bit pattern except that of `-0.0`, with all exponents equally likely.
    static func randomFinite(using random: inout SeededRandom) -> Double {
        while true {
            let value = Double(bitPattern: random.next())
            if value.isFinite, value.bitPattern != (-0.0).bitPattern { return value }
        }
    }
}
