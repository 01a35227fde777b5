package import StrictJSON

extension Projection {
    /// Returns one edit for each field in a JSON object. The edits are in the order of the entity's fields if the
    /// object has all of them, otherwise in the order of the object's members.
    ///
    /// A reference to a record with a text id is read as that text. `textReferences` lists the fields with such
    /// references.
    ///
    /// - Parameters:
    ///   - isRounded: becomes true if a value was more precise than its type can store, and so was rounded.
    ///   - unknownMember: called with each member that is not a field; throws if such a member is not allowed.
    ///   - refusal: makes the error to throw for a value that a field cannot have.
    package func edits<Refusal: Error>(
        in members: JSONMembers, isRounded: inout Bool, unknownMember: (JSONMember) throws(Refusal) -> Void,
        refusal: (ValueReader.Failure, Field) -> Refusal
    ) throws(Refusal) -> FieldEdits {
        var edits = FieldEdits(capacity: min(members.count, fields.count))
        let tape = members.document.tape
        var node = JSONNode(document: members.document, index: members.start)
        var expected = 0
        while node.index < members.end {
            let key = node.index
            node.index &+= 1
            if let index = keys.position(of: tape.utf8(key), expected: &expected) {
                let field = fields[index]
                do throws(ValueReader.Failure) {
                    edits.append(try ValueReader.read(node, as: field.wireType, isRounded: &isRounded), to: index)
                } catch {
                    throw refusal(error, field)
                }
            } else {
                try unknownMember(JSONMember(document: members.document, index: key))
            }
            node.index = tape.after(node.index)
        }
        if edits.count == fields.count { edits.arrange() }
        return edits
    }
}
