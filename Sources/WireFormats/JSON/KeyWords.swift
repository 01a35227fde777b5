/// A key as two words, which with its length are all of it up to 16 bytes: most keys are compared, and told apart from
/// others, without a look at their bytes one by one.
struct KeyWords: Equatable {
    let count: Int
    /// The first eight bytes; of a shorter key all of it.
    let head: UInt64
    /// The last eight bytes; of a shorter key `head`.
    let tail: UInt64

    /// The longest key that its words are all of.
    static let wholeMax = 16

    @inline(__always)
    init(_ name: UnsafeBufferPointer<UInt8>) {
        count = name.count
        let bytes = UnsafeRawBufferPointer(name)
        if count >= 8 {
            head = bytes.loadUnaligned(as: UInt64.self)
            tail = bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            return
        }
        if count >= 4 {
            // The two may overlap; so they do in every key of this length.
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

    /// Of 64 bits, mixed. Keys longer than `wholeMax` that differ in the middle only share it.
    @inline(__always)
    var hash: UInt64 {
        // Each bit of a product depends on those below it, so both halves of it are taken.
        let product = (head ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(
            by: tail ^ 0xD6E8_FEB8_6659_FD93 ^ UInt64(truncatingIfNeeded: count))
        return product.high ^ product.low
    }
}
