extension JSONNode {
    /// The position of this node in its document as a JSON pointer (RFC 6901), `""` for the root.
    ///
    /// O(n) in the number of values before the node, which are skipped. It is meant for error messages.
    package var path: String { document.tape.path(to: index) }
}

extension JSONTape {
    /// The JSON pointer of the value at the tape index `target`, or, if a key is there, of the member with this key.
    func path(to target: Int) -> String {
        var path = ""
        var container = JSONTape.rootIndex
        while container < target, tag(container) == Tag.array || tag(container) == Tag.object {
            let isObject = tag(container) == Tag.object
            var child = container + 1
            var position = 0
            // `child` is a key in an object, a value in an array; the value's end decides whether the target is inside.
            while after(isObject ? child + 1 : child) <= target {
                child = after(isObject ? child + 1 : child)
                position += 1
            }
            path += "/" + (isObject ? JSONTape.escaped(utf8(child)) : String(position))
            if child == target { break }
            container = isObject ? child + 1 : child
        }
        return path
    }

    /// Returns a key as it is written in a JSON pointer: `~` becomes `~0`, and `/` becomes `~1` (RFC 6901, section 3).
    private static func escaped(_ key: UnsafeBufferPointer<UInt8>) -> String {
        var bytes: [UInt8] = []
        for byte in key {
            switch byte {
            case UInt8(ascii: "~"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "0")]
            case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
