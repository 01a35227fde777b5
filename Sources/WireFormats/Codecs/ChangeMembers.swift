package import StrictJSON

/// The members of one change's JSON object, found by their names, with values that are not interpreted yet.
///
/// Not copyable: one is made for each change of a push, and each copy would take time.
package struct ChangeMembers: ~Copyable {
    private let document: JSONDocument
    // The index of each member's value on the tape (the flat list of all nodes of the document); 0 for a member that
    // the object does not have.
    private var entityIndex = 0
    private var idIndex = 0
    private var operationIndex = 0
    private var stampIndex = 0
    private var versionIndex = 0
    private var fieldsIndex = 0
    private var incrementsIndex = 0
    private var unknownMemberIndex = 0

    /// The names of the members that a change may have.
    package static let names = keys.keys.map(\.description)
    private static let keys = JSONKeyTable([
        BodyMember.entity, BodyMember.id, BodyMember.operation, BodyMember.stamp, BodyMember.version,
        BodyMember.fields, BodyMember.increments,
    ])

    package init(_ members: JSONMembers) {
        document = members.document
        let tape = document.tape
        let keys = ChangeMembers.keys
        var index = members.start
        var expected = 0
        while index < members.end {
            let value = index &+ 1
            // In the order of `keys`.
            switch keys.position(of: tape.utf8(index), expected: &expected) {
            case 0: entityIndex = value
            case 1: idIndex = value
            case 2: operationIndex = value
            case 3: stampIndex = value
            case 4: versionIndex = value
            case 5: fieldsIndex = value
            case 6: incrementsIndex = value
            default: unknownMemberIndex = unknownMemberIndex == 0 ? index : unknownMemberIndex
            }
            index = tape.after(value)
        }
    }

    package var entity: JSONNode? { node(entityIndex) }
    package var operation: JSONNode? { node(operationIndex) }
    package var stamp: JSONNode? { node(stampIndex) }
    package var version: JSONNode? { node(versionIndex) }
    package var fields: JSONNode? { node(fieldsIndex) }
    package var increments: JSONNode? { node(incrementsIndex) }

    /// The record's id if it is a UUID in the form of 36 characters, otherwise `nil`.
    package var id: ID? { node(idIndex)?.id }

    /// The JSON node that the client sent as the record's id, whatever its type; `nil` if the change has no id.
    package var idNode: JSONNode? { node(idIndex) }

    /// The first member with a name that the protocol does not define for a change; `nil` if all are known.
    package var unknownMember: JSONMember? {
        unknownMemberIndex == 0 ? nil : JSONMember(document: document, index: unknownMemberIndex)
    }

    private func node(_ index: Int) -> JSONNode? {
        index == 0 ? nil : JSONNode(document: document, index: index)
    }
}
