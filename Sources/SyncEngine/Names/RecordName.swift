package import WireFormats

/// What a change calls a record by that is not the record's key itself.
package struct RecordName: Hashable, Sendable {
    package let key: ID
    /// A place in `Hub.entities`.
    package let entity: Int
    /// The id to the letter; `nil` where the change says the key: it is of a version in which ids are UUIDs, or its
    /// device was told the key in one.
    package let text: String?
}
