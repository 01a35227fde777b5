/// The bytes of a key in two machine words. Together with the length they contain the whole key if it has at most 16
/// bytes. So most keys are compared without reading their bytes one by one.
@usableFromInline
struct KeyWords: Equatable, Sendable {
    @usableFromInline let count: Int
    /// The first eight bytes of the key. All bytes of a shorter key fit into this word.
    @usableFromInline let head: UInt64
    /// The last eight bytes of the key. For a shorter key, it is the same word as `head`.
    @usableFromInline let tail: UInt64

    /// The length of the longest keys, in bytes, that `head` and `tail` contain completely.
    @inlinable static var wholeMax: Int { 16 }

    @inlinable @inline(__always)
    init(_ name: UnsafeBufferPointer<UInt8>) {
        count = name.count
        let bytes = UnsafeRawBufferPointer(name)
        if count >= 8 {
            head = bytes.loadUnaligned(as: UInt64.self)
            tail = bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            return
        }
        if count >= 4 {
            // The first four and the last four bytes may overlap, alike in all keys of the same length.
            let (first, last) = (
                bytes.loadUnaligned(as: UInt32.self), bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            )
            head = UInt64(first) | UInt64(last) &<< 32
        } else if count > 0 {
            head = UInt64(name[0]) | UInt64(name[count / 2]) &<< 8 | UInt64(name[count &- 1]) &<< 16
        } else {
            head = 0
        }
        tail = head
    }

    /// A 64-bit hash of the two words and the length. Keys longer than `wholeMax` bytes that differ only in the middle
    /// have the same hash.
    @inline(__always)
    var hash: UInt64 {
        // A bit of a product depends only on the lower bits of its factors, so both halves of the product are used.
        let product = (head ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(
            by: tail ^ 0xD6E8_FEB8_6659_FD93 ^ UInt64(truncatingIfNeeded: count))
        return product.high ^ product.low
    }
}
