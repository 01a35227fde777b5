extension String {
    /// Returns true if two texts are equal as HTTP compares names and tokens: `A` to `Z` equal `a` to `z`, and every
    /// other byte equals only itself.
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        // Most compared strings differ in length.
        guard utf8.count == other.utf8.count else { return false }
        let (mine, others) = (utf8Span.span, other.utf8Span.span)
        for index in mine.indices
        where mine[index] != others[index] && mine[index].asciiLowercase != others[index].asciiLowercase {
            return false
        }
        return true
    }
}

extension StringProtocol {
    /// Returns the text without leading and trailing spaces and tabs (OWS, RFC 9110 section 5.6.3).
    func trimmingBlanks() -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        let tail = drop(while: isBlank)
        guard let last = tail.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(tail[...last])
    }
}

extension UInt8 {
    fileprivate var asciiLowercase: UInt8 {
        self >= 0x41 && self <= 0x5A ? self | 0x20 : self
    }
}
