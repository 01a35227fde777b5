import WireFormats

extension [RecordState] {
    /// Ranges of records in their order that have at most `max` bytes together, or are one record.
    func parts(ofBytes max: Int) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var (start, bytes) = (0, 0)
        for (place, state) in enumerated() {
            let size = state.sizeBytes
            if place > start, bytes + size > max {
                parts.append(start..<place)
                (start, bytes) = (place, 0)
            }
            bytes += size
        }
        if start < count { parts.append(start..<count) }
        return parts
    }
}

extension Int {
    /// The least power of two that is not less; at least 1,024, so that small records of a growing size are not each a
    /// news.
    var roundedUpToPowerOfTwo: Int64 {
        var power: Int64 = 1_024
        while power < self { power *= 2 }
        return power
    }
}
