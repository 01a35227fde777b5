/// A pattern of eight characters: digits at some positions, and fixed characters at the others. Eight characters of a
/// text are compared with it in one step. This speed matters, because most of the texts that devices send are dates.
struct EightCharacters {
    private let form: UInt64
    /// By byte: a number that is added to the difference (XOR) between the text's byte and the pattern's byte. The sum
    /// is below 128 exactly if the difference is allowed: at most 9 at a digit's position, 0 at every other.
    private let slack: UInt64

    /// Makes the pattern.
    ///
    /// - Parameter form: eight ASCII characters, with a 0 at each position of a digit.
    init(_ form: StaticString) {
        precondition(form.utf8CodeUnitCount == 8 && form.isASCII, "The form has eight ASCII characters.")
        let bytes = UnsafeRawBufferPointer(start: form.utf8Start, count: 8)
        self.form = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        var slack: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            slack |= (byte == UInt8(ascii: "0") ? 0x76 : 0x7F) << UInt64(8 * index)
        }
        self.slack = slack
    }

    /// Compares eight characters of a text with the pattern. Returns the two-digit numbers in the text: at each
    /// position of a digit, the number that this digit forms with the character after it. `nil` if the text does not
    /// match the pattern.
    ///
    /// - Parameter text: eight bytes, the first character in the lowest byte.
    @inline(__always)
    func pairs(_ text: UInt64) -> Pairs? {
        let digits = text ^ form
        guard (digits | (digits &+ slack)) & 0x8080_8080_8080_8080 == 0 else { return nil }
        return Pairs(word: digits &* 10 &+ digits &>> 8)
    }

    /// The two-digit numbers in a text of eight characters. The subscript's index is the position of the number's first
    /// digit.
    struct Pairs {
        fileprivate let word: UInt64

        @inline(__always)
        subscript(index: Int) -> Int { Int(truncatingIfNeeded: word &>> UInt64(8 &* index)) & 0xFF }
    }
}
