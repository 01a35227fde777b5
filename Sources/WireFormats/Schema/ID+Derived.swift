extension ID {
    /// A UUID that depends only on this one and on `name` (version 8, RFC 9562 section 5.8). It is the id of something
    /// that belongs to a record and has no id of its own, or the value of a required UUID attribute that the client's
    /// older version does not have.
    ///
    /// The algorithm never changes, because devices derive ids too. The name's UTF-8 is hashed by 64-bit FNV-1a, with
    /// its standard start value XOR this id's first half. The hash XOR this id's second half seeds a `SplitMix64`. Its
    /// first two numbers are the halves of the new UUID, except for the version and variant bits.
    public func derived(for name: String) -> ID {
        var hash = FNV1a(salt: high)
        hash.combine(name.utf8)
        var generator = SplitMix64(seed: hash.value ^ low)
        let random = ID.random(using: &generator)
        return ID(high: random.high & ~0xF000 | 0x8000, low: random.low)
    }
}
