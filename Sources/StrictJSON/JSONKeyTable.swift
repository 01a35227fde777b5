/// A list of keys, such as the names of an entity's fields, in which the key of a JSON object's member is looked up
/// without making a `String`. The result of a look-up is the key's position in the list.
///
/// A look-up takes expected O(length of the key). The keys in the table come from schemas, not from clients, so no
/// client can cause a look-up that collides with many keys.
///
/// A class, because it is made once and used for every object.
package final class JSONKeyTable: Sendable {
    /// The keys, in the order given. Look-ups return positions in this array.
    @usableFromInline package let keys: [JSONKey]
    /// An open hash table: each slot has the position of a key in `keys`, or -1 if it is free. A search begins at the
    /// slot that the low bits of the key's hash select (linear probing). At least half of the slots are free.
    private let slots: [Int32]
    /// The two machine words of each key, in the order of `keys`. A look-up reads this one array instead of every key's
    /// own array of bytes.
    @usableFromInline let words: [KeyWords]

    /// Makes a table of `keys`.
    ///
    /// - Precondition: no key occurs twice.
    package init(_ keys: [JSONKey]) {
        self.keys = keys
        var capacity = 4
        while capacity < keys.count * 2 { capacity *= 2 }
        var slots = [Int32](repeating: -1, count: capacity)
        for (position, key) in keys.enumerated() {
            var slot = JSONKeyTable.slot(key.name.withUnsafeBufferPointer { KeyWords($0) }, of: capacity)
            while slots[slot] >= 0 {
                precondition(keys[Int(slots[slot])].name != key.name, "A key table holds each key once.")
                slot = (slot + 1) & (capacity - 1)
            }
            slots[slot] = Int32(position)
        }
        self.slots = slots
        words = keys.map { key in key.name.withUnsafeBufferPointer { KeyWords($0) } }
    }

    package convenience init(_ names: [String]) { self.init(names.map { JSONKey($0) }) }

    /// The position of the member's key in `keys`; `nil` if the table does not have the key.
    ///
    /// The caller sets `expected` to 0 before it reads an object, and passes it with each member. The key at this
    /// position is compared first. After a match, `expected` becomes the next position. So an object whose members are
    /// in the order of `keys` takes one comparison for each member.
    package func position(of member: JSONMember, expected: inout Int) -> Int? {
        position(of: member.document.tape.utf8(member.index), expected: &expected)
    }

    /// The position in `keys` of the key with these UTF-8 bytes; `nil` if there is none. The key at position `expected`
    /// is compared first. If a key is found, `expected` becomes the position after it.
    @inlinable @inline(__always)
    package func position(of name: UnsafeBufferPointer<UInt8>, expected: inout Int) -> Int? {
        let nameWords = KeyWords(name)
        if expected < words.count, holds(name, nameWords, at: expected) {
            expected &+= 1
            return expected &- 1
        }
        guard let position = position(of: name, nameWords) else { return nil }
        expected = position &+ 1
        return position
    }

    /// The position in `keys` of the key that equals this string; `nil` if there is no such key, or if the node is not
    /// a string.
    package func position(of node: JSONNode) -> Int? {
        node.withUTF8 { position(of: $0) } ?? nil
    }

    /// The position in `keys` of the key with these UTF-8 bytes; `nil` if there is none.
    package func position(of name: Span<UInt8>) -> Int? {
        name.withUnsafeBufferPointer { position(of: $0, KeyWords($0)) }
    }

    @usableFromInline
    func position(of name: UnsafeBufferPointer<UInt8>, _ nameWords: KeyWords) -> Int? {
        let mask = slots.count &- 1
        var slot = JSONKeyTable.slot(nameWords, of: slots.count)
        while slots[slot] >= 0 {
            let position = Int(slots[slot])
            if holds(name, nameWords, at: position) { return position }
            slot = (slot &+ 1) & mask
        }
        return nil
    }

    @inlinable @inline(__always)
    func holds(_ name: UnsafeBufferPointer<UInt8>, _ nameWords: KeyWords, at position: Int) -> Bool {
        guard words[position] == nameWords else { return false }
        if nameWords.count <= KeyWords.wholeMax { return true }
        return keys[position].name.withUnsafeBufferPointer { JSONTape.equal($0, name) }
    }

    private static func slot(_ words: KeyWords, of capacity: Int) -> Int {
        Int(truncatingIfNeeded: words.hash) & (capacity &- 1)
    }
}
