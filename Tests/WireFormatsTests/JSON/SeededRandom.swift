/// A reproducible random source: a 64-bit counter whose values are mixed by multiplication and shifts.
struct SeededRandom: RandomNumberGenerator {
    private var counter: UInt64

    init(seed: UInt64) {
        counter = seed &* 0x9E37_79B9_7F4A_7C15
    }

    mutating func next() -> UInt64 {
        counter &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (counter ^ counter >> 32) &* 0xD6E8_FEB8_6659_FD93
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }

    /// Two fixed seeds and a new one. The seed is a test's argument, so a failure prints it.
    static let seeds: [UInt64] = [1, 2, .random(in: 3 ... .max)]
}
