import StrictJSON
public import WireFormats

/// Access to records by the names of entities and attributes, without generated structs. Tools and test drivers use it,
/// because they work with the entities of any app.
extension SyncSchema {
    /// The names of the entities that the build's version syncs, in alphabetical order.
    public var entityNames: [String] { kinds.keys.sorted() }

    /// Reads the JSON object of a record's attributes, in the wire format of the build's version. Members that the
    /// version does not have are left out.
    ///
    /// - Throws: `SyncSchemaError` for an entity that the version does not sync, for a text that is not JSON, and for a
    ///   value that its attribute cannot have.
    public func fields(of entity: String, json: String) throws(SyncSchemaError) -> [String: Value] {
        let kind = try kind(entity)
        do {
            return try kind.read(try JSONDocument(parsing: json).root)
        } catch {
            throw SyncSchemaError("the fields of a record of \(entity) cannot be read: \(error)")
        }
    }

    /// Returns the JSON object of a record's attributes, in the wire format of the build's version and in declared
    /// order.
    ///
    /// - Throws: `SyncSchemaError` for an entity that the version does not sync.
    public func json(of fields: [String: Value], entity: String) throws(SyncSchemaError) -> String {
        let kind = try kind(entity)
        var writer = JSONWriter()
        kind.write(fields, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
