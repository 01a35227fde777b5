extension JSONNode {
    /// A string that names something of a schema; `nil` for one longer than `Schema.nameSizeMaxBytes`, which names
    /// nothing.
    public var name: String? {
        withUTF8 { $0.count <= Schema.nameSizeMaxBytes } == true ? string : nil
    }

    /// A string that is a UUID in the form of 36 characters.
    public var id: ID? { withUTF8 { ID(utf8: $0) } ?? nil }
}

extension JSONMember {
    /// The key, if it may name something of a schema: see `JSONNode.name`.
    public var name: String? { withKeyUTF8 { $0.count <= Schema.nameSizeMaxBytes } ? key : nil }
}
