extension ID {
    /// A UUID that depends on this one and on `name` only (version 8, RFC 9562 section 5.8): the id of something that
    /// belongs to a record and has none of its own, or a required UUID that an older version did not give.
    ///
    /// The 64-bit FNV-1a hash of the name's UTF-8, begun from its usual basis XOR this id's first half, and XOR its
    /// second half at the end, seeds a `SplitMix64`. Its first two numbers are the two halves, but for the bits of
    /// version and variant. It never changes, because devices derive ids too.
    public func derived(for name: String) -> ID {
        var hash = FNV1a(salt: high)
        hash.combine(name.utf8)
        var generator = SplitMix64(seed: hash.value ^ low)
        let random = ID.random(using: &generator)
        return ID(high: random.high & ~0xF000 | 0x8000, low: random.low)
    }
}
