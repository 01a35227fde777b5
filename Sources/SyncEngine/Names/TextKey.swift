import Postgres
package import WireFormats

/// The derivation of a record's key from an id that is a text (docs/decisions/0022-…).
///
/// A text that is a UUID in lower case is its own key, so that it names the same record in versions whose ids are
/// UUIDs. The key of every other text is made from a SHA-256 of the text, its app and its entity.
///
/// A key that is made from a text is a UUID of version 8 with the variant that RFC 9562 reserves (section 4.1). Nothing
/// else makes such UUIDs. If a client sends one as an id, it means the record with this key, and no second key is made
/// from it.
package enum TextKey {
    /// Returns the key of the record that has the id `text` in an entity of an app.
    package static func key(of text: String, app: String, entity: HubEntity) -> ID {
        if let id = ID(text), isText(text, of: id) { return id }
        // Each part is preceded by its length, so that no two triples give the same text.
        var framed: [UInt8] = []
        for part in [app, entity.identity, text] { framed += "\(part.utf8.count):\(part),".utf8 }
        let digest = Checksum.digest(of: framed)
        func eight(_ start: Int) -> UInt64 { digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        return ID(high: eight(0) & ~0xF000 | 0x8000, low: eight(8) | 0xE000_0000_0000_0000)
    }

    /// Returns true if the text is itself the key, and not a text from which the key was made.
    static func isText(_ text: String, of key: ID) -> Bool { key.description.utf8.elementsEqual(text.utf8) }

    /// Returns true if the key was made from a text, so that it has no meaning by itself.
    package static func isMade(_ key: ID) -> Bool {
        key.high >> 12 & 0xF == 8 && key.low >> 61 == 0b111
    }
}
