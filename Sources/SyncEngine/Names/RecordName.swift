package import WireFormats

/// A reference by a change to a record whose key the server made from an id that is a text.
package struct RecordName: Hashable, Sendable {
    package let key: ID
    /// The index of the entity in `Hub.entities`.
    package let entity: Int
    /// The id as a text, exactly as it was sent. `nil` if the change refers to the record by its key: either ids are
    /// UUIDs in the change's version, or the device was sent the key by such a version.
    package let text: String?
}
