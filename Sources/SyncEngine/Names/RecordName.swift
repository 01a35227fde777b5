package import WireFormats

/// A name by which a change refers to a record, if the name is not simply the record's key.
package struct RecordName: Hashable, Sendable {
    package let key: ID
    /// The index of the entity in `Hub.entities`.
    package let entity: Int
    /// The id, exactly as written; `nil` if the change states the key. Then its version has UUIDs as ids, or its device
    /// was sent the key in such a version.
    package let text: String?
}
