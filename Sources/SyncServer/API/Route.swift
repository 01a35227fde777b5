package import HTTPServer
package import SyncEngine
import WireFormats

/// One endpoint: its method, its path, and the operation, whose kind decides who may call it.
///
/// All routes are in `RouteTable`. Requests are routed from it, and tests go through it: a route that is not in the
/// table cannot be reached.
package struct Route: Sendable {
    package let method: HTTPMethod
    package let path: PathTemplate
    package let operation: Operation

    init(_ method: HTTPMethod, _ endpoint: Endpoint, _ operation: Operation) {
        self.method = method
        path = PathTemplate(endpoint.rawValue)
        self.operation = operation
    }

    /// The operation of a route. Each case stands for one kind of authorization. The code of an operation needs the
    /// result of that authorization as its input, so no route can skip the check.
    package enum Operation: Hashable, Sendable {
        /// An operation for everybody; reveals nothing about data.
        case open(OpenOperation)
        /// An operation for callers with a token for the app.
        case account(AccountOperation)
        /// An operation for callers whose token reaches the space, and who have the role there that the operation
        /// requires.
        case space(SpaceOperation)
        /// An operation on the members of a space or on the space itself, not on its records. The caller's token must
        /// reach the space, as for `space`, but the client sends no schema version.
        case sharing(SharingOperation)

        /// True if supervisors and balancers use the operation to check the server, every few seconds.
        var isProbe: Bool {
            if case .open(let operation) = self { !operation.isRated } else { false }
        }

        /// The operation's unique name, for metrics and logs: `push`.
        package var name: String {
            switch self {
            case .open(let operation): operation.rawValue
            case .account(let operation): operation.rawValue
            case .sharing(let operation): operation.rawValue
            case .space(let operation): operation.rawValue
            }
        }
    }
}

/// The operations that need no token.
package enum OpenOperation: String, CaseIterable, Sendable {
    case health
    case readiness
    case openAPI = "openapi"
    case apps
    case app
    case schema

    /// True if the operation is subject to the rate limit. Health and readiness checks by supervisors and load
    /// balancers are not.
    var isRated: Bool {
        switch self {
        case .health, .readiness: false
        case .openAPI, .apps, .app, .schema: true
        }
    }
}

/// The operations of a subject that are not about one particular space.
package enum AccountOperation: String, CaseIterable, Sendable {
    case listSpaces = "list-spaces"
    case makeSpace = "make-space"
    case acceptInvitation = "accept-invitation"
    case eraseAccount = "erase-account"

    /// True if the operation changes data on the server, so that a read-only token is not enough.
    package var changesSomething: Bool {
        switch self {
        case .listSpaces: false
        case .makeSpace, .acceptInvitation, .eraseAccount: true
        }
    }
}

/// The operations on the members of a space, or on the space itself.
package enum SharingOperation: String, CaseIterable, Sendable {
    case listMembers = "list-members"
    case changeMember = "change-member"
    case removeMember = "remove-member"
    case listInvitations = "list-invitations"
    case invite
    case withdrawInvitation = "withdraw-invitation"
    case eraseSpace = "erase-space"

    /// True if the operation changes anybody's rights in the space, or erases the space.
    package var changesSomething: Bool {
        switch self {
        case .listMembers, .listInvitations: false
        case .changeMember, .removeMember, .invite, .withdrawInvitation, .eraseSpace: true
        }
    }

    /// The least role that the operation requires. Removing another member requires a higher role, which
    /// `SpaceSharing.remove` checks.
    package var leastRole: SpaceRole {
        switch self {
        case .listMembers, .removeMember: .reader
        case .changeMember, .listInvitations, .invite, .withdrawInvitation, .eraseSpace: .owner
        }
    }
}

/// The operations on the data of one space.
package enum SpaceOperation: String, CaseIterable, Sendable {
    case push
    case pull
    case sync
    case events

    /// The least role that the operation requires.
    package var leastRole: SpaceRole {
        switch self {
        // A reader's changes are refused one by one, so that the app can show which.
        case .pull, .events, .push, .sync: .reader
        }
    }
}
