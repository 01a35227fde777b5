import Glibc

extension ArraySlice<UInt8> {
    /// Returns the index of `mark`, searched from `start` on. Takes little time if the mark's first byte is rare.
    package func firstIndex(of mark: [UInt8], from start: Int? = nil) -> Int? {
        let start = start ?? startIndex
        let offset: Int? = self[start...].withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var next = 0
            while next + mark.count <= bytes.count {
                let room = bytes.count - mark.count + 1 - next
                guard let found = memchr(base + next, CInt(mark[0]), room) else { return nil }
                next = UnsafeRawPointer(found) - base
                if memcmp(base + next, mark, mark.count) == 0 { return next }
                next += 1
            }
            return nil
        }
        return offset.map { start + $0 }
    }

    /// Returns the number of occurrences of `mark`.
    package func count(of mark: [UInt8]) -> Int {
        var count = 0
        var next = startIndex
        while let found = firstIndex(of: mark, from: next) {
            count += 1
            next = found + mark.count
        }
        return count
    }
}
