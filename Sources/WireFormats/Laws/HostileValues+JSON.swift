import StrictJSON

extension HostileValues {
    /// Returns a canonical JSON text with one of its scalars (numbers, strings, booleans) replaced by another of the
    /// same type. A Swift struct that can be decoded from `text` can usually be decoded from the result.
    static func mutated(_ text: String, using random: inout SplitMix64) -> String {
        guard let root = (try? JSONDocument(parsing: text))?.root else { return text }
        let count = scalars(in: root)
        guard count > 0 else { return text }
        var copy = MutatedCopy(nodesBefore: random.below(count))
        copy.write(root, using: &random)
        return String(decoding: copy.writer.bytes, as: UTF8.self)
    }

    private static func scalars(in node: JSONNode) -> Int {
        switch node.kind {
        case .array: node.elements?.reduce(0) { $0 + scalars(in: $1) } ?? 0
        case .object: node.members?.reduce(0) { $0 + scalars(in: $1.value) } ?? 0
        case .null, .bool, .int, .uint, .double, .string: 1
        }
    }

    /// Writes a copy of a canonical JSON document in which one scalar is replaced.
    private struct MutatedCopy {
        var writer = JSONWriter()
        /// The number of scalars (such as numbers and strings) left to copy before the one to replace.
        var nodesBefore: Int

        mutating func write(_ node: JSONNode, using random: inout SplitMix64) {
            switch node.kind {
            case .array:
                writer.beginArray()
                for element in JSONElements(of: node) { write(element, using: &random) }
                writer.endArray()
            case .object:
                writer.beginObject()
                for member in JSONMembers(of: node) {
                    writer.key(member.key)
                    write(member.value, using: &random)
                }
                writer.endObject()
            case .null, .bool, .int, .uint, .double, .string:
                if nodesBefore == 0 { replace(node, using: &random) } else { writer.canonical(node) }
                nodesBefore -= 1
            }
        }

        private mutating func replace(_ node: JSONNode, using random: inout SplitMix64) {
            switch node.kind {
            case .bool: writer.bool(node.bool != true)
            case .int, .uint: writer.int(HostileValues.ints[random.below(HostileValues.ints.count)])
            case .double: writer.double(HostileValues.doubles[random.below(HostileValues.doubles.count)])
            case .string: writer.string(HostileValues.strings[random.below(HostileValues.strings.count)])
            case .null, .array, .object: writer.canonical(node)
            }
        }
    }
}
