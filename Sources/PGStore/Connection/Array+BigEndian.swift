extension [UInt8] {
    /// Appends the bytes of `value`, most significant first, as PostgreSQL's binary formats want them.
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
