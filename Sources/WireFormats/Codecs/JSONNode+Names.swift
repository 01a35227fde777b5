import StrictJSON

extension JSONNode {
    /// A string that may name something in a schema; `nil` for a string longer than `Schema.nameSizeMaxBytes`, which
    /// names nothing.
    package var name: String? {
        withUTF8 { $0.count <= Schema.nameSizeMaxBytes } == true ? string : nil
    }

    /// The UUID in this string, if the string has the form of 36 characters.
    package var id: ID? { withUTF8 { ID(utf8: $0) } ?? nil }
}

extension JSONMember {
    /// The key, if it may name something in a schema: see `JSONNode.name`.
    package var name: String? { withKeyUTF8 { $0.count <= Schema.nameSizeMaxBytes } ? key : nil }
}
