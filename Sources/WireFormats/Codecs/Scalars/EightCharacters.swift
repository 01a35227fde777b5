/// A pattern of eight characters: digits at some positions, and fixed characters at the others. Eight characters of a
/// text are compared with it in one step. This speed matters, because most of the texts that devices send are dates.
struct EightCharacters {
    private let form: UInt64
    /// One number for each of the eight bytes, to recognize a byte that does not match the pattern. The XOR of the byte
    /// and the pattern's byte must be 0, or at the position of a digit at most 9. The sum of this
    /// number and the XOR is less than 128 if the XOR is allowed, and at least 128 if it is greater.
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

    /// Returns the two-digit numbers in a text of eight characters; `nil` if the text does not match this pattern. The
    /// number at a position consists of the digit there and the digit after it.
    ///
    /// - Parameter text: eight bytes, the first character in the lowest byte.
    @inline(__always)
    func pairs(_ text: UInt64) -> Pairs? {
        let digits = text ^ form
        guard (digits | (digits &+ slack)) & 0x8080_8080_8080_8080 == 0 else { return nil }
        return Pairs(word: digits &* 10 &+ digits &>> 8)
    }

    /// The two-digit numbers in a text of eight characters. The index of a number is the position of its first digit.
    struct Pairs {
        fileprivate let word: UInt64

        @inline(__always)
        subscript(index: Int) -> Int { Int(truncatingIfNeeded: word &>> UInt64(8 &* index)) & 0xFF }
    }
}
