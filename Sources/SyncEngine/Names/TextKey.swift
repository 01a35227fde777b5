import Postgres
package import WireFormats

/// How a record's key follows from an id that is a text (docs/decisions/0022-…).
///
/// A UUID in lower case is its own key, so that it is the same record for versions in which ids are UUIDs. Every other
/// text gets a key from SHA-256. Such keys are UUIDs that nothing else makes: of version 8 and of the variant that RFC
/// 9562 reserves (section 4.1). Whatever the version, such a UUID is the key of the record that has it, or of none: it
/// is never a text of its own.
package enum TextKey {
    /// The key of the record of an entity whose id is `text`.
    package static func key(of text: String, app: String, entity: HubEntity) -> ID {
        if let id = ID(text), isText(text, of: id) { return id }
        // Each part with its length, so that no two triples are one text.
        var framed: [UInt8] = []
        for part in [app, entity.identity, text] { framed += "\(part.utf8.count):\(part),".utf8 }
        let digest = Checksum.digest(of: framed)
        func eight(_ start: Int) -> UInt64 { digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        return ID(high: eight(0) & ~0xF000 | 0x8000, low: eight(8) | 0xE000_0000_0000_0000)
    }

    /// Whether the text is the key itself, and not one that the key was made from.
    static func isText(_ text: String, of key: ID) -> Bool { key.description.utf8.elementsEqual(text.utf8) }

    /// Whether it is a key that was made from a text: it means nothing by itself.
    package static func isMade(_ key: ID) -> Bool {
        key.high >> 12 & 0xF == 8 && key.low >> 61 == 0b111
    }
}
