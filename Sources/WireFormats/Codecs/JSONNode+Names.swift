import StrictJSON

extension JSONNode {
    /// This string, if it is short enough to be a name in a schema; `nil` if it is longer than
    /// `Schema.nameSizeMaxBytes`, or if the node is not a string.
    package var name: String? {
        withUTF8 { $0.count <= Schema.nameSizeMaxBytes } == true ? string : nil
    }

    /// The UUID in this string; `nil` if it is not a UUID in the form of 36 characters.
    package var id: ID? { withUTF8 { ID(utf8: $0) } ?? nil }
}

extension JSONMember {
    /// The key, if it is short enough to be a name in a schema; `nil` if it is longer. See `JSONNode.name`.
    package var name: String? { withKeyUTF8 { $0.count <= Schema.nameSizeMaxBytes } ? key : nil }
}
