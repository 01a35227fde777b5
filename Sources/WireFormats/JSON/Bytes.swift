/// What C's `memcmp` and `memchr` do, a word at a time, in plain Swift: most of what is compared is a few words long.
enum Bytes {
    @inline(__always)
    static func equal(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
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

    /// Whether the first sorts before the second, byte by byte without sign; a prefix comes first.
    static func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
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
            // A byte's high bit is set by the subtraction and was not before: it was 0, or one below it was.
            let word = word(bytes, offset)
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
            offset &+= 8
        }
        return bytes[offset...].contains(0)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
