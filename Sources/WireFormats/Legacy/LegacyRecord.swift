/// A row of a file that the app wrote by itself, as a record of one of the app's versions.
public struct LegacyRecord: Sendable {
    /// The entity's name in the version.
    public let entity: String
    /// The version whose names and types `fields` has.
    public let version: Schema.Version
    /// The record's id; `nil` for an entity of which each space has one record.
    public let id: ID?
    /// The values by the version's names. An optional value that the file's format has and the row leaves out is null
    /// here. An attribute that is not listed is not edited, and stays as an earlier file has it.
    public let fields: [(name: String, value: Value)]

    /// Makes a record.
    public init(entity: String, version: Schema.Version, id: ID?, fields: [(name: String, value: Value)]) {
        (self.entity, self.version, self.id, self.fields) = (entity, version, id, fields)
    }
}
