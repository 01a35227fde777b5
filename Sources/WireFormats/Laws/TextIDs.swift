/// Texts that are used as record ids in tests, usual and unusual ones: short, of the greatest allowed length, with
/// quotes, with characters that look the same, UUIDs in upper or lower case.
package enum TextIDs {
    /// Draws a random text id. It contains a random UUID or, in the short form, eight of the UUID's characters. So two
    /// draws practically never give the same id.
    package static func draw(using random: inout some RandomNumberGenerator) -> String {
        let unique = ID.random(using: &random).description
        switch random.next() % 9 {
        case 0: return String(unique.utf8.prefix(8).map { Character(UnicodeScalar($0)) })
        case 1: return unique
        case 2: return unique.uppercased()
        case 3: return unique + String(repeating: "ü", count: (Schema.idSizeMaxBytes - unique.utf8.count) / 2)
        case 4: return "\"'\\{}/%\(unique)"
        case 5: return "\u{1F9D1}\u{200D}\u{1F680} \(unique)"
        // The same text to a reader, and to Swift.
        case 6: return "e\u{301}\(unique)"
        case 7: return "\u{E9}\(unique)"
        default: return " \n\t\u{1}\(unique) "
        }
    }
}
