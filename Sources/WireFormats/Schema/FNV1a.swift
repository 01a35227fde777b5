/// The 64-bit FNV-1a hash (Fowler, Noll and Vo). It is the same on every machine and in every run. It detects mistakes,
/// not attacks.
package struct FNV1a: Sendable {
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    /// Begins the hash with FNV's standard start value XOR `salt`.
    init(salt: UInt64) {
        value ^= salt
    }

    package mutating func combine(_ text: String) {
        var text = text
        text.withUTF8 { for byte in $0 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 } }
    }

    package mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}
