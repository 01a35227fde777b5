package import WireFormats

/// A record to which a change refers by a text id, or by a key that the server made from a text id.
package struct RecordName: Hashable, Sendable {
    package let key: ID
    /// The index of the entity in `Hub.entities`.
    package let entity: Int
    /// The id as a text, exactly as it was sent. `nil` if the change refers to the record by its key: its version has
    /// UUIDs as ids, or the device received the key when it used such a version.
    package let text: String?
}
