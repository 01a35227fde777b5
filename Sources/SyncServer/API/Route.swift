package import HTTPServer
package import SyncEngine

/// One endpoint: how it is called, and who may call it.
///
/// All of them are in `RouteTable`, from which requests are routed, and which tests go through: what is not in it
/// cannot be reached.
package struct Route: Sendable {
    package let method: HTTPMethod
    package let path: PathTemplate
    package let operation: Operation

    init(_ method: HTTPMethod, _ path: PathTemplate, _ operation: Operation) {
        self.method = method
        self.path = path
        self.operation = operation
    }

    /// What a route does, by who may have it done. Only an operation of a kind gets to the code behind it, and with
    /// what was checked for that kind: so no route can go without its check.
    package enum Operation: Hashable, Sendable {
        /// For everybody; tells nothing about data.
        case open(OpenOperation)
        /// For whoever has a token for the app.
        case account(AccountOperation)
        /// For whoever has a token that reaches the space, with the role that the operation asks for.
        case space(SpaceOperation)
        /// The same, where it is about who is in the space and not about its records: so no version is stated.
        case sharing(SharingOperation)

        /// Whether it is how supervisors and balancers look after the server, every few seconds.
        var isProbe: Bool {
            if case .open(let operation) = self { !operation.isRated } else { false }
        }

        /// A name among all operations, for metrics and logs: `push`.
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

/// What needs no token.
package enum OpenOperation: String, CaseIterable, Sendable {
    case health
    case readiness
    case openAPI = "openapi"
    case apps
    case app
    case schema

    /// Whether who asks too often is told to wait: never whoever watches over the server.
    var isRated: Bool {
        switch self {
        case .health, .readiness: false
        case .openAPI, .apps, .app, .schema: true
        }
    }
}

/// What a subject does that is about no space in particular.
package enum AccountOperation: String, CaseIterable, Sendable {
    case listSpaces = "list-spaces"
    case makeSpace = "make-space"
    case acceptInvitation = "accept-invitation"
    case eraseAccount = "erase-account"

    /// Whether a token that may only read is not enough.
    package var changesSomething: Bool {
        switch self {
        case .listSpaces: false
        case .makeSpace, .acceptInvitation, .eraseAccount: true
        }
    }
}

/// What is done with the members of a space, or with the space itself.
package enum SharingOperation: String, CaseIterable, Sendable {
    case listMembers = "list-members"
    case changeMember = "change-member"
    case removeMember = "remove-member"
    case listInvitations = "list-invitations"
    case invite
    case withdrawInvitation = "withdraw-invitation"
    case eraseSpace = "erase-space"

    /// Whether it changes who may do what, or ends the space.
    package var changesSomething: Bool {
        switch self {
        case .listMembers, .listInvitations: false
        case .changeMember, .removeMember, .invite, .withdrawInvitation, .eraseSpace: true
        }
    }

    /// The least role that it takes. Whoever removes another takes more, see `SpaceSharing.remove`.
    package var leastRole: SpaceRole {
        switch self {
        case .listMembers, .removeMember: .reader
        case .changeMember, .listInvitations, .invite, .withdrawInvitation, .eraseSpace: .owner
        }
    }
}

/// What is done in one space.
package enum SpaceOperation: String, CaseIterable, Sendable {
    case push
    case pull
    case sync
    case events

    /// The least role that it takes.
    package var leastRole: SpaceRole {
        switch self {
        // A reader's changes are refused one by one, so that its app can say which.
        case .pull, .events, .push, .sync: .reader
        }
    }
}
