import SyncEngine
import SyncServer
import SyncTestSupport
import Synchronization
import WireFormats

/// The members' knowledge of each other, and all requests: the source of the next steps. It may be wrong: what is
/// right is for `FleetLedger`.
final class FleetWorld: Sendable {
    private let state = Mutex(State())

    fileprivate struct State {
        var requests: [FleetRequest] = []
        var roles: [ID: [Subject: SpaceRole]] = [:]
        var records: [ID: Int] = [:]
        var offers: [FleetOffer] = []
        /// Who was in a space of late and is no more.
        var former: [(subject: Subject, space: ID)] = []
        var cursors: [Reader: FleetCursor] = [:]
    }

    fileprivate struct Reader: Hashable {
        let subject: Subject
        let space: ID
    }

    fileprivate static let offersMax = 30
    fileprivate static let formerMax = 20

    /// Notes a request, and what its answer says.
    func take(_ request: FleetRequest) {
        state.withLock { state in
            state.requests.append(request)
            if request.isDone { state.learn(request) }
        }
    }

    /// All requests since it was asked last; and what there is now.
    func turn() -> [FleetRequest] {
        state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
    }

    func correct(_ audit: FleetAudit) {
        state.withLock { state in
            state.roles = audit.spaces.filter { !$0.value.isErased }.mapValues(\.members)
            state.records = audit.records.mapValues(\.count)
        }
    }

    var spaces: [ID] { state.withLock { $0.roles.keys.sorted() } }

    func records(of space: ID) -> Int { state.withLock { $0.records[space] ?? 0 } }

    /// Who is at least this in a space, or may think so.
    func subjects(in space: ID, atLeast role: SpaceRole) -> [Subject] {
        state.withLock { state in
            (state.roles[space] ?? [:]).filter { $0.value >= role }.map(\.key).sorted()
        }
    }

    func offer(_ random: inout SplitMix64) -> FleetOffer? { state.withLock { $0.offers.randomElement(using: &random) } }

    func former(_ random: inout SplitMix64) -> (subject: Subject, space: ID)? {
        state.withLock { $0.former.randomElement(using: &random) }
    }

    func cursor(of subject: Subject, in space: ID) -> FleetCursor? {
        state.withLock { $0.cursors[Reader(subject: subject, space: space)] }
    }
}

extension FleetWorld.State {
    fileprivate mutating func learn(_ request: FleetRequest) {
        let (answer, sender) = (request.answer, request.sender)
        switch request.action {
        case .makeSpace:
            if let space = answer["space"].uuid { roles[space] = [sender: .owner] }
        case .invite(let role):
            guard let id = answer["invitation"].uuid, let secret = answer["secret"].string,
                let space = request.target.space
            else { return }
            offers.append(FleetOffer(id: id, secret: secret, role: role, space: space))
            if offers.count > FleetWorld.offersMax { offers.removeFirst() }
        case .accept(let offer): roles[offer.space]?[sender] = offer.role
        case .change(let subject, let role):
            if let space = request.target.space { roles[space]?[subject] = role }
        case .remove(let subject):
            if let space = request.target.space { leave(space, subject) }
        case .pull, .sync:
            guard let space = request.target.space, let read = request.read, let text = answer["cursor"].string
            else { return }
            cursors[FleetWorld.Reader(subject: sender, space: space)] = FleetCursor(text: text, read: read)
        case .eraseSpace:
            guard let space = request.target.space else { return }
            for subject in roles[space, default: [:]].keys { leave(space, subject) }
            roles[space] = nil
        case .eraseAccount: for space in roles.keys { leave(space, sender) }
        case .withdraw, .listMembers, .listOffers, .listSpaces, .push: return
        }
    }

    private mutating func leave(_ space: ID, _ subject: Subject) {
        guard roles[space]?.removeValue(forKey: subject) != nil else { return }
        former.append((subject, space))
        if former.count > FleetWorld.formerMax { former.removeFirst() }
    }
}
