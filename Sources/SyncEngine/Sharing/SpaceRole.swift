/// The rights of a member in a space; each role includes those before it.
package enum SpaceRole: String, CaseIterable, Comparable, Sendable {
    /// A member that may pull.
    case reader
    /// A member that may pull and push.
    case editor
    /// A member that may also manage the members, and erase the space.
    case owner

    package static func < (one: SpaceRole, other: SpaceRole) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .reader: 0
        case .editor: 1
        case .owner: 2
        }
    }
}
