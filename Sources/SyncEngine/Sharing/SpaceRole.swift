/// What somebody may do in a space: each role includes those before it.
package enum SpaceRole: String, CaseIterable, Comparable, Sendable {
    /// Pulls.
    case reader
    /// Pulls and pushes.
    case editor
    /// Also says who else may, and may end the space.
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
