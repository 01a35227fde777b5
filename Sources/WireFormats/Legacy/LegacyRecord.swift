/// A row of such a file, as a record of one of the app's versions.
public struct LegacyRecord: Sendable {
    /// The version's name for the entity.
    public let entity: String
    public let version: Schema.Version
    /// `nil` for an entity of which each space has one record.
    public let id: ID?
    public let stamp: Stamp
    /// By the version's names.
    public let fields: [(name: String, value: Value)]

    public init(
        entity: String, version: Schema.Version, id: ID?, stamp: Stamp, fields: [(name: String, value: Value)]
    ) {
        (self.entity, self.version, self.id, self.stamp, self.fields) = (entity, version, id, stamp, fields)
    }
}
