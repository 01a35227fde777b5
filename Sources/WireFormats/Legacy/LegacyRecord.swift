/// One record from a file that the app wrote itself, in the form of one of the app's versions.
public struct LegacyRecord: Sendable {
    /// The entity's name in `version`.
    public let entity: String
    /// The version to which the names and types in `fields` belong.
    public let version: Schema.Version
    /// The record's id; `nil` for an entity of which each space has one record.
    public let id: ID?
    /// The values, with the names that the attributes have in `version`. If the file's format has an optional attribute
    /// and the row leaves it out, its value here is null. An attribute that is not listed is not edited, so it keeps
    /// the value from an earlier file.
    public let fields: [(name: String, value: Value)]

    /// Makes a record.
    public init(entity: String, version: Schema.Version, id: ID?, fields: [(name: String, value: Value)]) {
        (self.entity, self.version, self.id, self.fields) = (entity, version, id, fields)
    }
}
