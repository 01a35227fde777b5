/// The bytes of a key in two machine words. Together with the length they contain the whole key if it has at most 16
/// bytes. So most keys are compared without reading their bytes one by one.
@usableFromInline
struct KeyWords: Equatable, Sendable {
    @usableFromInline let count: Int
    /// The first eight bytes; the whole key if it is shorter.
    @usableFromInline let head: UInt64
    /// The last eight bytes; `head` if the key is shorter.
    @usableFromInline let tail: UInt64

    /// The greatest length in bytes of a key that its two words hold completely.
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
            // The two may overlap, as they do in every key of this length.
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
        // Each bit of a product depends on those below it, so both halves of it are taken.
        let product = (head ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(
            by: tail ^ 0xD6E8_FEB8_6659_FD93 ^ UInt64(truncatingIfNeeded: count))
        return product.high ^ product.low
    }
}
