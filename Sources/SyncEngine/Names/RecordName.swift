package import WireFormats

/// A record to which a change refers by a text id, or by a key that the server made from a text id.
package struct RecordName: Hashable, Sendable {
    package let key: ID
    /// The index of the entity in `Hub.entities`.
    package let entity: Int
    /// The id as a text, exactly as it was sent. `nil` if the change refers to the record by its key: either ids are
    /// UUIDs in the change's version, or the device was sent the key by such a version.
    package let text: String?
}
