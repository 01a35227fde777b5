import SyncEngine
import WireFormats

/// The OpenAPI description of an operation, except its path and method, which the route defines. It refers by name to
/// definitions in `parameters.json` and `schemas.json`.
struct OperationDescription {
    let summary: String
    /// The names of parameters in addition to those of the path.
    var parameters: [String] = []
    var body: Body?
    let answer: Answer
    /// The HTTP statuses of the problems that this operation may return. The problems that all operations of its kind
    /// may return are not included.
    var problems: [Int] = []

    enum Body {
        /// The body of a push. Its changes may be written in any schema version of any app.
        case changes
        /// A body described by the schema of this name.
        case schema(String)
    }

    struct Answer {
        var status = 200
        var type = MediaType.json
        /// The name of the schema of the response's body; `nil` if there is no body.
        let schema: String?

        static func json(_ schema: String, status: Int = 200) -> Answer { Answer(status: status, schema: schema) }
    }
}

extension Route.Operation {
    /// The OpenAPI description of the operation. Each operation must have one, so that none is missing in the document.
    var description: OperationDescription {
        switch self {
        case .open(let operation): operation.description
        case .account(let operation): operation.description
        case .space(let operation): operation.description
        case .sharing(let operation): operation.description
        }
    }

    /// The HTTP statuses of the problems that any operation of this kind may return, as listed in docs/protocol.md. The
    /// statuses of requests that are refused before routing are included.
    var commonProblems: [Int] {
        // For a malformed request, headers or a body that are too large, too many requests, or a busy server.
        let anywhere = [400, 408, 411, 413, 429, 431, 500, 503]
        return switch self {
        case .open: anywhere
        case .account: anywhere + [401, 403, 404]
        case .space: anywhere + [401, 403, 404, 409, 410, 426, 507]
        case .sharing: anywhere + [401, 403, 404]
        }
    }
}

extension OpenOperation {
    fileprivate var description: OperationDescription {
        switch self {
        case .health: OperationDescription(summary: "Whether the process runs", answer: .json("Status"))
        case .readiness:
            OperationDescription(summary: "Whether the server can reach its database", answer: .json("Status"))
        case .openAPI: OperationDescription(summary: "This document", answer: .json("Document"))
        case .apps: OperationDescription(summary: "The apps and their versions", answer: .json("Apps"))
        case .app: OperationDescription(summary: "An app's versions", answer: .json("App"), problems: [404])
        case .schema:
            OperationDescription(
                summary: "The JSON Schema of a push in a version",
                answer: .init(type: MediaType.schema, schema: "JSONSchema"), problems: [404])
        }
    }
}

extension AccountOperation {
    fileprivate var description: OperationDescription {
        switch self {
        case .listSpaces: OperationDescription(summary: "The caller's spaces", answer: .json("JoinedSpaces"))
        case .makeSpace:
            OperationDescription(
                summary: "Make a space that the caller owns", answer: .json("JoinedSpace", status: 201), problems: [409]
            )
        case .acceptInvitation:
            OperationDescription(
                summary: "Join a space by an invitation", body: .schema("Acceptance"), answer: .json("JoinedSpace"),
                problems: [409, 415])
        case .eraseAccount:
            OperationDescription(
                summary: "Erase all that is kept of the caller", answer: .json("Receipt"), problems: [409])
        }
    }
}

extension SharingOperation {
    fileprivate var description: OperationDescription {
        switch self {
        case .listMembers: OperationDescription(summary: "Who is in the space", answer: .json("Members"))
        case .changeMember:
            OperationDescription(
                summary: "Give a member another role", body: .schema("RoleChange"), answer: .json("Member"),
                problems: [409, 415])
        case .removeMember:
            OperationDescription(
                summary: "Remove a member, or leave", answer: .init(status: 204, schema: nil), problems: [409])
        case .listInvitations:
            OperationDescription(summary: "The invitations that are still good", answer: .json("Invitations"))
        case .invite:
            OperationDescription(
                summary: "Invite somebody", body: .schema("InvitationRequest"),
                answer: .json("MadeInvitation", status: 201), problems: [409, 415])
        case .withdrawInvitation:
            OperationDescription(summary: "Make an invitation void", answer: .init(status: 204, schema: nil))
        case .eraseSpace:
            OperationDescription(summary: "Erase the space", answer: .json("Receipt"))
        }
    }
}

extension SpaceOperation {
    private static let caller = [HeaderName.schemaVersion, HeaderName.deviceID, HeaderName.outboxAge]

    fileprivate var description: OperationDescription {
        switch self {
        case .push:
            OperationDescription(
                summary: "Push changes",
                parameters: SpaceOperation.caller + [HeaderName.changeMode, HeaderName.repetitions],
                body: .changes,
                answer: .json("PushAnswer"), problems: [410, 415])
        case .pull:
            OperationDescription(
                summary: "Pull what is new since a cursor",
                parameters: SpaceOperation.caller + [
                    QueryParameter.cursor, QueryParameter.limit, QueryParameter.stamps,
                ], answer: .json("Page"),
                problems: [410])
        case .sync:
            OperationDescription(
                summary: "Push, then pull",
                parameters: SpaceOperation.caller + [HeaderName.changeMode, HeaderName.repetitions],
                body: .changes,
                answer: .json("SyncAnswer"), problems: [410, 415])
        case .events:
            OperationDescription(
                summary: "Hear when to pull", parameters: SpaceOperation.caller,
                answer: .init(type: MediaType.events, schema: "Events"))
        }
    }
}
