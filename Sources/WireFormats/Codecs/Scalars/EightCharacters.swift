/// A form of eight characters, digits at some places and given characters at the others, which a text is compared with
/// in one word: most of what devices send is dates.
struct EightCharacters {
    private let form: UInt64
    /// What, added to how far a byte is from the form's, stays below 128 where that may be: 9 at a digit, 0 elsewhere.
    private let slack: UInt64

    /// - Parameter form: ASCII, with a 0 where a digit may be.
    init(_ form: StaticString) {
        precondition(form.utf8CodeUnitCount == 8 && form.isASCII, "The form has eight ASCII characters.")
        let bytes = UnsafeRawBufferPointer(start: form.utf8Start, count: 8)
        self.form = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        var slack: UInt64 = 0
        for (place, byte) in bytes.enumerated() {
            slack |= (byte == UInt8(ascii: "0") ? 0x76 : 0x7F) << UInt64(8 * place)
        }
        self.slack = slack
    }

    /// The numbers that each digit and the one after it write; `nil` when the text is not of the form.
    ///
    /// - Parameter text: the first character in the lowest byte.
    @inline(__always)
    func pairs(_ text: UInt64) -> Pairs? {
        let digits = text ^ form
        guard (digits | (digits &+ slack)) & 0x8080_8080_8080_8080 == 0 else { return nil }
        return Pairs(word: digits &* 10 &+ digits &>> 8)
    }

    /// Numbers of two digits, by the place of the first.
    struct Pairs {
        fileprivate let word: UInt64

        @inline(__always)
        subscript(place: Int) -> Int { Int(truncatingIfNeeded: word &>> UInt64(8 &* place)) & 0xFF }
    }
}
