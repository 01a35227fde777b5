import Postgres
import WireFormats

/// The text ids of records, for versions in which ids are texts.
///
/// The simulation identifies every record by a UUID, its key. Versions with UUID ids use this key as the record's id.
/// The key of a text id is computed as in docs/decisions/0022-keep-texts-of-ids-beside-keys.md, but without the
/// server's code.
struct TextNames {
    private var texts: [ID: String] = [:]

    /// Draws a text id for a new record, and returns the key (the UUID) that is derived from it.
    mutating func draw(in domain: Domain, using random: inout SplitMix64) -> ID {
        let text = TextIDs.draw(using: &random)
        let key = domain.key(of: text)
        if key.description != text { texts[key] = text }
        return key
    }

    func text(of key: ID) -> String { texts[key] ?? key.description }

    /// Returns true if the key (the UUID of a record) was derived from a text id; false if the id is itself a UUID.
    func isMade(_ key: ID) -> Bool { texts[key] != nil }

    /// The scope in which an entity's text ids are unique. The same text in another scope has another key (UUID).
    ///
    /// `entity` is the entity's original name, from the first version that has it.
    struct Domain: Sendable, Hashable {
        let app: String
        let entity: String

        func key(of text: String) -> ID {
            if let id = ID(text), id.description.utf8.elementsEqual(text.utf8) { return id }
            let framed = [app, entity, text].map { "\($0.utf8.count):\($0)," }.joined()
            var bytes = Checksum.digest(of: Array(framed.utf8))
            bytes[6] = bytes[6] & 0x0F | 0x80
            bytes[8] |= 0xE0
            func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
            return ID(high: half(bytes[0..<8]), low: half(bytes[8..<16]))
        }
    }
}
