import Glibc

extension ArraySlice<UInt8> {
    /// Where `mark` begins, looked for from `start` on. Costs next to nothing where its first byte is rare.
    package func place(of mark: [UInt8], from start: Int? = nil) -> Int? {
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

    /// How often `mark` stands in it.
    package func count(of mark: [UInt8]) -> Int {
        var count = 0
        var next = startIndex
        while let place = place(of: mark, from: next) {
            count += 1
            next = place + mark.count
        }
        return count
    }
}
