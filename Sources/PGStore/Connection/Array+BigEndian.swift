extension [UInt8] {
    /// Appends the bytes of `value`, most significant first, as PostgreSQL's binary formats want them.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Overwrites the bytes from `offset` with those of `value`, most significant first.
    mutating func store(bigEndian value: some FixedWidthInteger, at offset: Int) {
        Swift.withUnsafeBytes(of: value.bigEndian) { replaceSubrange(offset..<offset + $0.count, with: $0) }
    }
}
