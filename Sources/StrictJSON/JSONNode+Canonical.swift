extension JSONNode {
    /// The value as canonical JSON text. Equal values have equal texts, and a text stays the same when it is read and
    /// written again.
    ///
    /// The text has no white space. The keys of an object are in the order of their UTF-8 bytes. Strings escape only
    /// `"`, `\` and U+0000 to U+001F. Integers are written in digits, and doubles in their shortest form. `-0.0` is
    /// written as `0.0`. The integer `1` and the double `1.0` are different values, so their texts differ.
    ///
    /// O(n log m) for n bytes and objects of m members.
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
