extension ID {
    /// A UUID that depends only on this one and on `name` (version 8, RFC 9562 section 5.8). Used as the id of
    /// something that belongs to a record and has no id of its own, or as a required UUID that an older version did not
    /// give.
    ///
    /// The 64-bit FNV-1a hash of the name's UTF-8 begins with its usual basis XOR this id's first half. Its result XOR
    /// this id's second half seeds a `SplitMix64`. The first two numbers of the generator are the two halves of the
    /// UUID, except for the version and variant bits. This algorithm never changes, because devices derive ids too.
    public func derived(for name: String) -> ID {
        var hash = FNV1a(salt: high)
        hash.combine(name.utf8)
        var generator = SplitMix64(seed: hash.value ^ low)
        let random = ID.random(using: &generator)
        return ID(high: random.high & ~0xF000 | 0x8000, low: random.low)
    }
}
