/// A row of such a file, as a record of one of the app's versions.
public struct LegacyRecord: Sendable {
    /// The version's name for the entity.
    public let entity: String
    public let version: Schema.Version
    /// `nil` for an entity of which each space has one record.
    public let id: ID?
    /// By the version's names. An optional value that a row leaves out, and its form has, is null here: what is not
    /// here is not said, and stays as an earlier file has it.
    public let fields: [(name: String, value: Value)]

    public init(entity: String, version: Schema.Version, id: ID?, fields: [(name: String, value: Value)]) {
        (self.entity, self.version, self.id, self.fields) = (entity, version, id, fields)
    }
}
