import Foundation

/// A seeded source of random numbers (SplitMix64): the same seed gives the same run on every machine.
struct RandomSource: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, but not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns an exponentially distributed number with the given mean.
    mutating func exponential(mean: Double) -> Double { -log(1 - unit()) * mean }

    /// Returns a number from 0 up to, but not including, `count`.
    mutating func index(below count: Int) -> Int {
        Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(count)).high)
    }

    /// The mean from which a Poisson distribution is replaced by a normal distribution of the same mean and variance.
    private static let normalFrom = 50.0

    /// Returns a Poisson distributed count with the given mean.
    mutating func poisson(mean: Double) -> Int {
        if mean <= 0 { return 0 }
        if mean >= RandomSource.normalFrom { return max(0, Int((mean + mean.squareRoot() * normal()).rounded())) }
        var (count, left) = (0, unit())
        let limit = exp(-mean)
        while left > limit {
            left *= unit()
            count += 1
        }
        return count
    }

    /// Returns a normally distributed number with mean 0 and variance 1 (Box–Muller).
    private mutating func normal() -> Double {
        (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
    }
}
