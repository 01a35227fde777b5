extension JSONNode {
    /// The value as canonical JSON text: equal for equal values, and unchanged when it is read and written again.
    ///
    /// No white space; object keys in UTF-8 byte order; strings escape only `"`, `\` and U+0000 to U+001F; integers in
    /// digits; doubles in their shortest form, `-0.0` as `0.0`. `1` and `1.0` stay different texts. O(n log m) for n
    /// bytes and objects of m members.
    package func canonicalText() -> String {
        var writer = JSONWriter()
        writer.canonical(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// Writes the node's canonical text. The recursion is as deep as the document nests, which the document's limits
    /// bound.
    package mutating func canonical(_ node: JSONNode) {
        let tape = node.document.tape
        switch node.kind {
        case .null: null()
        case .bool: bool(node.bool == true)
        case .int: int(node.int64 ?? 0)
        case .uint: uint(node.uint64 ?? 0)
        case .double: double(node.double ?? 0)
        case .string: string(tape.utf8(node.index))
        case .array:
            beginArray()
            for element in JSONElements(of: node) { canonical(element) }
            endArray()
        case .object:
            beginObject()
            for index in tape.sortedKeys(object: node.index) {
                key(tape.utf8(index))
                canonical(JSONNode(document: node.document, index: index + 1))
            }
            endObject()
        }
    }
}

extension JSONTape {
    /// The tape indices of the keys of the object at index `object`, sorted by the keys' bytes.
    fileprivate func sortedKeys(object: Int) -> [Int] {
        var keys: [Int] = []
        keys.reserveCapacity(childCount(object))
        var index = object + 1
        while index < after(object) - 1 {
            keys.append(index)
            index = after(index + 1)
        }
        keys.sort { string($0, precedes: $1) }
        return keys
    }
}
