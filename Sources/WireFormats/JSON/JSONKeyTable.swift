/// A set of keys, such as an entity's fields, in which a member's key is found without making a `String`.
///
/// An expected O(length of the key). The keys in the table come from schemas, not from senders, so chains are short
/// whatever is looked up.
public struct JSONKeyTable: Sendable {
    /// The keys, in the order given; positions in it are what look-ups answer.
    public let keys: [JSONKey]
    /// Positions by the low bits of their key's hash, probed linearly; -1 is a free slot. At least half are free.
    private let slots: [Int32]
    /// The keys' UTF-8 bytes, one after the other: one array to look into instead of one per key.
    private let names: [UInt8]
    /// Where each key ends in `names`; it starts where the one before ends.
    private let ends: [Int]

    /// - Precondition: the keys differ.
    public init(_ keys: [JSONKey]) {
        self.keys = keys
        var capacity = 4
        while capacity < keys.count * 2 { capacity *= 2 }
        var slots = [Int32](repeating: -1, count: capacity)
        for (position, key) in keys.enumerated() {
            var slot = key.name.withUnsafeBufferPointer(JSONKeyTable.hash) & (capacity - 1)
            while slots[slot] >= 0 {
                precondition(keys[Int(slots[slot])].name != key.name, "A key table holds each key once.")
                slot = (slot + 1) & (capacity - 1)
            }
            slots[slot] = Int32(position)
        }
        self.slots = slots
        names = keys.flatMap(\.name)
        var end = 0
        ends = keys.map { key in
            end += key.name.count
            return end
        }
    }

    public init(_ names: [String]) { self.init(names.map { JSONKey($0) }) }

    /// The position of the member's key; `nil` when the table has no such key.
    ///
    /// `expected` is tried first and left at the position after the one found: members that come in the table's order
    /// cost one comparison each. Start it at 0 for each object.
    public func position(of member: JSONMember, expected: inout Int) -> Int? {
        let name = member.document.tape.utf8(member.index)
        if expected < keys.count, holds(name, at: expected) {
            expected &+= 1
            return expected &- 1
        }
        guard let position = position(of: name) else { return nil }
        expected = position &+ 1
        return position
    }

    /// The position of the key with these UTF-8 bytes.
    public func position(of name: Span<UInt8>) -> Int? {
        name.withUnsafeBufferPointer { position(of: $0) }
    }

    private func position(of name: UnsafeBufferPointer<UInt8>) -> Int? {
        let mask = slots.count &- 1
        var slot = JSONKeyTable.hash(name) & mask
        while slots[slot] >= 0 {
            let position = Int(slots[slot])
            if holds(name, at: position) { return position }
            slot = (slot &+ 1) & mask
        }
        return nil
    }

    private func holds(_ name: UnsafeBufferPointer<UInt8>, at position: Int) -> Bool {
        let start = position == 0 ? 0 : ends[position &- 1]
        return names.withUnsafeBufferPointer {
            JSONTape.equal(UnsafeBufferPointer(rebasing: $0[start..<ends[position]]), name)
        }
    }

    /// Multiplies and adds byte by byte, then mixes the high bits down.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        var sum = UInt64(truncatingIfNeeded: name.count)
        for byte in name { sum = (sum ^ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15 }
        return Int(truncatingIfNeeded: (sum ^ sum &>> 32) & 0x7FFF_FFFF)
    }
}
