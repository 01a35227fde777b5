import StrictJSON

extension JSONNode {
    /// The text of this JSON string, if it is short enough to be a name in a schema. `nil` if it is longer than
    /// `Schema.nameSizeMaxBytes`, or if the node is not a string.
    package var name: String? {
        withUTF8 { $0.count <= Schema.nameSizeMaxBytes } == true ? string : nil
    }

    /// The UUID in this JSON string; `nil` if the node is not a string with the 36 characters of a UUID.
    package var id: ID? { withUTF8 { ID(utf8: $0) } ?? nil }
}

extension JSONMember {
    /// The member's key, if it is short enough to be a name in a schema; `nil` if it is longer than
    /// `Schema.nameSizeMaxBytes`.
    package var name: String? { withKeyUTF8 { $0.count <= Schema.nameSizeMaxBytes } ? key : nil }
}
