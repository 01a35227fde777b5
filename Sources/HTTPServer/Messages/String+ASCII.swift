extension StringProtocol {
    /// Compares as HTTP compares names and tokens: `A` to `Z` equal `a` to `z`, every other byte only itself.
    func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0 == $1 || ($0.asciiLowercase == $1.asciiLowercase) }
    }

    /// Without the spaces and tabs around it (OWS, RFC 9110 section 5.6.3).
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
