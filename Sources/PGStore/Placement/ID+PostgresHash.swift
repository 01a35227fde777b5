import WireFormats

extension ID {
    /// The hash that PostgreSQL's function `uuid_hash` returns for this id, as an unsigned number.
    ///
    /// The function is lookup3 by Bob Jenkins (burtleburtle.net/bob/c/lookup3.c) over the sixteen bytes of the id, with
    /// PostgreSQL's initial value. `BucketTests` compares the two.
    var postgresHash: UInt32 {
        // As on little-endian machines: the id's bytes are its big-endian form, and are read as four words.
        func word(_ half: UInt64, shiftedBy bits: UInt64) -> UInt32 {
            UInt32(truncatingIfNeeded: half >> bits).byteSwapped
        }
        let seed = 0x9e37_79b9 &+ UInt32(16) &+ 3_923_095
        var state = LookupState(
            a: seed &+ word(high, shiftedBy: 32), b: seed &+ word(high, shiftedBy: 0),
            c: seed &+ word(low, shiftedBy: 32))
        state.mix()
        state.a &+= word(low, shiftedBy: 0)
        state.finish()
        return state.c
    }
}

/// The state of lookup3: three words, whose bits are mixed reversibly.
private struct LookupState {
    var a: UInt32
    var b: UInt32
    var c: UInt32

    /// Mixes the words after each twelve bytes of input.
    mutating func mix() {
        mix(4, 6, 8)
        mix(16, 19, 4)
    }

    private mutating func mix(_ first: UInt32, _ second: UInt32, _ third: UInt32) {
        a = (a &- c) ^ c.rotated(by: first)
        c &+= b
        b = (b &- a) ^ a.rotated(by: second)
        a &+= c
        c = (c &- b) ^ b.rotated(by: third)
        b &+= a
    }

    /// Mixes the words at the end, so that each bit of the input affects all bits of `c`.
    mutating func finish() {
        c = (c ^ b) &- b.rotated(by: 14)
        a = (a ^ c) &- c.rotated(by: 11)
        b = (b ^ a) &- a.rotated(by: 25)
        c = (c ^ b) &- b.rotated(by: 16)
        a = (a ^ c) &- c.rotated(by: 4)
        b = (b ^ a) &- a.rotated(by: 14)
        c = (c ^ b) &- b.rotated(by: 24)
    }
}

extension UInt32 {
    fileprivate func rotated(by bits: UInt32) -> UInt32 { self << bits | self >> (32 - bits) }
}
