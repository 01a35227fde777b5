extension JSONTape {
    /// What RFC 8259 permits, or leaves open, and we refuse.
    enum Fault {
        case tooDeep
        /// The second key's index on the tape.
        case duplicateKey(Int)
    }

    /// The first fault of the document, in tape order.
    ///
    /// O(n log n) in the tape's words at worst, whatever the keys are: small objects compare their keys pairwise,
    /// larger ones sort seeded hashes.
    func firstFault(depthMax: Int) -> Fault? {
        var depth = 0
        var keys: [Int] = []
        var index = JSONTape.rootIndex
        let end = self.end
        while index < end {
            switch tag(index) {
            case Tag.object:
                depth += 1
                if let key = duplicateKey(object: index, keys: &keys) { return .duplicateKey(key) }
                index += 1
            case Tag.array:
                depth += 1
                index += 1
            case Tag.objectEnd, Tag.arrayEnd:
                depth -= 1
                index += 1
            default:
                index = after(index)
            }
            if depth > depthMax { return .tooDeep }
        }
        return nil
    }

    /// Objects with more keys than this are checked through hashes; pairwise, 16 keys take 120 word comparisons.
    private static let pairwiseKeysMax = 16

    private func duplicateKey(object: Int, keys: inout [Int]) -> Int? {
        keys.removeAll(keepingCapacity: true)
        var index = object + 1
        let close = after(object) - 1
        while index < close {
            keys.append(index)
            index = after(index + 1)
        }
        return keys.withUnsafeBufferPointer { keys in
            keys.count <= JSONTape.pairwiseKeysMax ? pairwiseDuplicate(keys) : hashedDuplicate(keys)
        }
    }

    private func pairwiseDuplicate(_ keys: UnsafeBufferPointer<Int>) -> Int? {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: JSONTape.pairwiseKeysMax) { marks in
            for j in 0..<keys.count {
                let mark = self.mark(keys[j])
                for i in 0..<j where marks[i] == mark && string(keys[j], equals: utf8(keys[i])) {
                    return keys[j]
                }
                marks[j] = mark
            }
            return nil
        }
    }

    /// A word that equal keys share and most others do not: the length, and the first and last bytes.
    ///
    /// The eight bytes loaded lie in the string buffer: the key's 4-byte length is before them and the buffer's padding
    /// after.
    private func mark(_ key: Int) -> UInt64 {
        let bytes = utf8(key)
        guard let start = bytes.baseAddress, bytes.count > 0 else { return 0 }
        let first = UnsafeRawPointer(start).loadUnaligned(as: UInt64.self)
        let kept = bytes.count >= 8 ? first : first & (1 &<< (8 &* UInt64(bytes.count)) &- 1)
        let last = UInt64(start[bytes.count &- 1]) &<< 40 | UInt64(truncatingIfNeeded: bytes.count) &<< 48
        return kept ^ last
    }

    private func hashedDuplicate(_ keys: UnsafeBufferPointer<Int>) -> Int? {
        // `Hasher` is SipHash with a seed drawn when the process starts, so a sender cannot aim for collisions.
        var hashed = keys.map { key in
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(utf8(key)))
            return (hash: hasher.finalize(), key: key)
        }
        hashed.sort { ($0.hash, $0.key) < ($1.hash, $1.key) }
        var first: Int?
        for i in hashed.indices.dropFirst() {
            var j = i - 1
            while j >= 0, hashed[j].hash == hashed[i].hash {
                if string(hashed[i].key, equals: utf8(hashed[j].key)) {
                    first = min(first ?? hashed[i].key, hashed[i].key)
                    break
                }
                j -= 1
            }
        }
        return first
    }
}
