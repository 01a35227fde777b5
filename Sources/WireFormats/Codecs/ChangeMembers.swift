/// What the object of a change has, before it is asked what that means: its members by their names.
///
/// Not copied, because it is made for each change of a push.
public struct ChangeMembers: ~Copyable {
    private let document: JSONDocument
    // Where each value is on the tape; 0, where there is none, for a member that the object does not have.
    private var entityIndex = 0
    private var idIndex = 0
    private var operationIndex = 0
    private var stampIndex = 0
    private var versionIndex = 0
    private var fieldsIndex = 0
    private var incrementsIndex = 0
    private var strangerIndex = 0

    public static let names = ["entity", "id", "op", "stamp", "version", "fields", "increments"]
    private static let keys = JSONKeyTable(names)

    public init(_ members: JSONMembers) {
        document = members.document
        let tape = document.tape
        let keys = ChangeMembers.keys
        var index = members.start
        var expected = 0
        while index < members.end {
            let value = index &+ 1
            // In the order of `names`.
            switch keys.position(of: tape.utf8(index), expected: &expected) {
            case 0: entityIndex = value
            case 1: idIndex = value
            case 2: operationIndex = value
            case 3: stampIndex = value
            case 4: versionIndex = value
            case 5: fieldsIndex = value
            case 6: incrementsIndex = value
            default: strangerIndex = strangerIndex == 0 ? index : strangerIndex
            }
            index = tape.after(value)
        }
    }

    public var entity: JSONNode? { node(entityIndex) }
    public var operation: JSONNode? { node(operationIndex) }
    public var stamp: JSONNode? { node(stampIndex) }
    public var version: JSONNode? { node(versionIndex) }
    public var fields: JSONNode? { node(fieldsIndex) }
    public var increments: JSONNode? { node(incrementsIndex) }

    /// `nil` also where it is not a UUID in the form of 36 characters.
    public var id: ID? { node(idIndex)?.id }

    /// As it was sent.
    public var idNode: JSONNode? { node(idIndex) }

    /// The first member that no change has.
    public var stranger: JSONMember? {
        strangerIndex == 0 ? nil : JSONMember(document: document, index: strangerIndex)
    }

    private func node(_ index: Int) -> JSONNode? {
        index == 0 ? nil : JSONNode(document: document, index: index)
    }
}
