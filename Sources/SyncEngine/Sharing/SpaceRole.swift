/// The rights of a member in a space; each role includes those before it.
package enum SpaceRole: String, CaseIterable, Comparable, Sendable {
    /// May pull.
    case reader
    /// May pull and push.
    case editor
    /// May also manage the members, and end the space.
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
