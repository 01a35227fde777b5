/// Ids that are texts, both usual and unusual ones: short, as long as allowed, with quotes, with characters that look
/// the same, UUIDs in either case.
package enum TextIDs {
    /// A random id that no other draw gives.
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
