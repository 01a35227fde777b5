/// Replacements in plain Swift for C's `memcmp` and `memchr`. They compare a machine word at a time, because most of
/// the compared byte sequences are a few words long.
@usableFromInline
package enum Bytes {
    @inlinable @inline(__always)
    package static func equal(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        let count = a.count
        guard count == b.count else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            guard word(a, offset) == word(b, offset) else { return false }
            offset &+= 8
        }
        while offset < count {
            guard a[offset] == b[offset] else { return false }
            offset &+= 1
        }
        return true
    }

    /// True if `a` sorts before `b`, compared byte by byte as unsigned numbers. A sequence sorts before a longer one
    /// that begins with it.
    package static func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        let count = min(a.count, b.count)
        var offset = 0
        while offset &+ 8 <= count {
            let (first, second) = (word(a, offset).bigEndian, word(b, offset).bigEndian)
            if first != second { return first < second }
            offset &+= 8
        }
        while offset < count {
            if a[offset] != b[offset] { return a[offset] < b[offset] }
            offset &+= 1
        }
        return a.count < b.count
    }

    static func containsZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset &+ 8 <= bytes.count {
            // The subtraction sets a high bit that was not set before only if that byte, or a lower one, was 0.
            let word = word(bytes, offset)
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
            offset &+= 8
        }
        return bytes[offset...].contains(0)
    }

    @inlinable @inline(__always)
    static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
