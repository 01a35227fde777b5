import SyncEngine
import SyncServer
import SyncTestSupport
import WireFormats

/// A request of a member to a server.
enum FleetAction: Sendable {
    case makeSpace
    case invite(SpaceRole)
    case accept(FleetOffer)
    case change(Subject, SpaceRole)
    case remove(Subject)
    case withdraw(ID)
    case listMembers
    case listOffers
    case listSpaces
    case push(ID)
    case sync(ID)
    case pull(FleetCursor?)
    case eraseSpace
    case eraseAccount

    var method: String {
        switch self {
        case .makeSpace, .invite, .accept, .push, .sync: "POST"
        case .change: "PUT"
        case .remove, .withdraw, .eraseSpace, .eraseAccount: "DELETE"
        case .listMembers, .listOffers, .listSpaces, .pull: "GET"
        }
    }

    /// Below the app's.
    func path(_ target: FleetTarget) -> String {
        switch self {
        case .makeSpace, .listSpaces: "spaces"
        case .accept: "invitations/accept"
        case .eraseAccount: "account"
        case .invite, .listOffers: "spaces/\(target)/invitations"
        case .change(let subject, _), .remove(let subject): "spaces/\(target)/members/\(FleetAction.encoded(subject))"
        case .withdraw(let offer): "spaces/\(target)/invitations/\(offer)"
        case .listMembers: "spaces/\(target)/members"
        case .push: "spaces/\(target)/changes"
        case .sync: "spaces/\(target)/sync"
        case .pull(let cursor): "spaces/\(target)/changes\(cursor.map { "?cursor=\($0.text)" } ?? "")"
        case .eraseSpace: "spaces/\(target)"
        }
    }

    var body: JSONValue? {
        switch self {
        case .invite(let role), .change(_, let role): ["role": .string(role.rawValue)]
        case .accept(let offer): ["secret": .string(offer.secret)]
        case .push(let record), .sync(let record): ["changes": [.create("SDMeal", record, at: nil)]]
        case .makeSpace: [:]
        case .remove, .withdraw, .listMembers, .listOffers, .listSpaces, .pull, .eraseSpace, .eraseAccount: nil
        }
    }

    /// The least role that it takes in its space; `nil` where it is about none.
    func leastRole(of sender: Subject) -> SpaceRole? {
        switch self {
        case .makeSpace, .accept, .listSpaces, .eraseAccount: nil
        case .invite, .change, .withdraw, .listOffers, .eraseSpace: .owner
        case .remove(let subject): subject == sender ? .reader : .owner
        // What a reader pushes is refused change by change.
        case .push, .sync, .pull, .listMembers: .reader
        }
    }

    /// True if its sender gets a space by it, which takes a token that is still valid for its account.
    var bringsSpace: Bool {
        switch self {
        case .makeSpace, .accept: true
        default: false
        }
    }

    private static func encoded(_ subject: Subject) -> String {
        subject.text.utf8.map { "%" + String(0x100 | Int($0), radix: 16).dropFirst() }.joined()
    }
}

extension FleetAction: CustomStringConvertible {
    var description: String {
        switch self {
        case .makeSpace: "makes a space"
        case .invite(let role): "invites a \(role.rawValue)"
        case .accept(let offer): "accepts \(offer.id.brief) as \(offer.role.rawValue)"
        case .change(let subject, let role): "makes \(subject.bytes) a \(role.rawValue)"
        case .remove(let subject): "removes \(subject.bytes)"
        case .withdraw(let offer): "withdraws \(offer.brief)"
        case .listMembers: "lists members"
        case .listOffers: "lists invitations"
        case .listSpaces: "lists its spaces"
        case .push(let record): "pushes \(record.brief)"
        case .sync(let record): "syncs \(record.brief)"
        case .pull(let cursor): cursor == nil ? "pulls" : "pulls on"
        case .eraseSpace: "erases the space"
        case .eraseAccount: "erases its account"
        }
    }
}

/// An invitation that somebody was given.
struct FleetOffer: Sendable {
    let id: ID
    let secret: String
    let role: SpaceRole
    let space: ID
}

/// A member's cursor in a space.
struct FleetCursor: Sendable {
    let text: String
    /// The records that came until then.
    let read: Set<ID>
}

/// The space that a request is about.
enum FleetTarget: Sendable, Hashable, CustomStringConvertible {
    case nowhere
    /// The sender's own space, whose id is seen later.
    case own
    case space(ID)

    var space: ID? { if case .space(let space) = self { space } else { nil } }

    var description: String {
        switch self {
        case .nowhere: ""
        case .own: "me"
        case .space(let space): "\(space)"
        }
    }
}

extension Subject {
    /// So that people distinguish twins from each other.
    var bytes: String {
        text.unicodeScalars.map { $0.isASCII ? "\($0)" : "\\u{\(String($0.value, radix: 16))}" }.joined()
    }
}
