extension JSONTape {
    /// A fault of a document that follows the grammar of RFC 8259 and is refused nevertheless.
    enum Fault {
        case tooDeep
        /// A key that its object has twice: the tape index of the later one.
        case duplicateKey(Int)
    }

    /// The first fault of the document, in the order of the tape; `nil` if there is none.
    ///
    /// O(n log n) in the number of words on the tape, whatever the keys are. The keys of an object are compared only if
    /// their hashes suggest that two are equal.
    func firstFault(depthMax: Int) -> Fault? {
        var depth = 0
        var index = JSONTape.rootIndex
        let end = self.end
        while index < end {
            switch tag(index) {
            case Tag.object:
                depth += 1
                if let key = duplicateKey(object: index) { return .duplicateKey(key) }
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

    /// The greatest number of keys in an object for which duplicates are found by comparing the keys pairwise: 16 keys
    /// take at most 120 comparisons. In larger objects, seeded hashes of the keys are compared.
    private static let pairwiseKeysMax = 16

    private func duplicateKey(object: Int) -> Int? {
        // Each key sets one bit in each of two words. A key whose two bits are set already looks like an earlier key.
        var seen: (UInt64, UInt64) = (0, 0)
        var index = object + 1
        let close = after(object) - 1
        while index < close {
            let hash = KeyWords(utf8(index)).hash
            let bits: (UInt64, UInt64) = (1 &<< (hash & 63), 1 &<< (hash &>> 6 & 63))
            if seen.0 & bits.0 != 0, seen.1 & bits.1 != 0 {
                if childCount(object) > JSONTape.pairwiseKeysMax { return hashedDuplicate(keys(of: object)) }
                if isRepeated(index, in: object) { return index }
            }
            seen = (seen.0 | bits.0, seen.1 | bits.1)
            index = after(index + 1)
        }
        return nil
    }

    /// True if an earlier key of the object has the same bytes.
    private func isRepeated(_ key: Int, in object: Int) -> Bool {
        var index = object + 1
        while index < key {
            if string(index, equals: utf8(key)) { return true }
            index = after(index + 1)
        }
        return false
    }

    private func keys(of object: Int) -> [Int] {
        var keys: [Int] = []
        var index = object + 1
        let close = after(object) - 1
        while index < close {
            keys.append(index)
            index = after(index + 1)
        }
        return keys
    }

    private func hashedDuplicate(_ keys: [Int]) -> Int? {
        // `Hasher` is SipHash with a seed drawn when the process starts, so a client cannot construct collisions.
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
