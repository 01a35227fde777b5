import StrictJSON
import SyncEngine
import SyncServer
import SyncTestSupport
import WireFormats

/// One of those who do what members do, step by step; each step is drawn.
struct FleetWorker: Sendable {
    let fleet: MemberFleet
    var random: SplitMix64
    private let clients: [Int: TestClient]
    /// Requests whose last byte has not been sent yet.
    private var held: [(exchange: FleetExchange, connection: HeldRequest)] = []

    private static let heldMax = 3
    /// A fleet that goes on for long neither dies out nor grows.
    private static let spacesMin = 6
    private static let spacesMax = 16
    /// More would not come in one page.
    private static let recordsMax = 200

    init(_ fleet: MemberFleet, seed: UInt64) {
        self.fleet = fleet
        random = SplitMix64(seed: seed)
        clients = Dictionary(uniqueKeysWithValues: fleet.ports.map { ($0, TestClient(port: $0)) })
    }

    private var world: FleetWorld { fleet.world }

    /// Does so many steps, and ends all that it began.
    mutating func work(_ steps: Int) async throws {
        for _ in 0..<steps {
            if chance(25) { try await end() }
            if let drill = fleet.drills.first(where: { _ in chance(4) }) {
                try await run(drill)
            } else {
                try await step()
            }
        }
        while !held.isEmpty { try await end() }
    }

    /// - Parameter percent: of how many times it is so.
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func port() -> Int { fleet.ports.randomElement(using: &random) ?? 0 }

    /// A new token most of the time, of whom new ones cost nothing.
    mutating func token(of member: FleetMember) async throws -> FleetToken {
        try await member.token(new: chance(member.isOfProvider ? 65 : 10), &random)
    }

    /// Asks for something and waits for the answer.
    @discardableResult
    mutating func ask(
        _ action: FleetAction, _ member: FleetMember, _ target: FleetTarget = .nowhere, token: FleetToken? = nil,
        port: Int? = nil
    ) async throws -> FleetRequest {
        let chosen = try await exchange(action, member, target, token: token, port: port)
        guard let client = clients[chosen.port] else { throw MemberFleet.NoServer() }
        return took(try await chosen.completed(client))
    }

    mutating func exchange(
        _ action: FleetAction, _ member: FleetMember, _ target: FleetTarget = .nowhere, token: FleetToken? = nil,
        port: Int? = nil
    ) async throws -> FleetExchange {
        let token = if let token { token } else { try await self.token(of: member) }
        return FleetExchange(action, member, target, token, port: port ?? self.port())
    }

    @discardableResult
    func took(_ request: FleetRequest) -> FleetRequest {
        world.take(request)
        if case .eraseAccount = request.action, request.isDone { fleet.member(request.sender)?.forget() }
        return request
    }

    /// Begins what is ended some steps later.
    mutating func begin(_ exchange: FleetExchange) async throws {
        var exchange = exchange
        let connection = try await exchange.began()
        held.append((exchange, connection))
        if held.count > FleetWorker.heldMax { try await end() }
    }

    private mutating func end() async throws {
        if held.isEmpty { return }
        let (exchange, connection) = held.removeFirst()
        took(try await exchange.ended(connection))
    }

    private mutating func step() async throws {
        let spaces = world.spaces
        guard spaces.count >= FleetWorker.spacesMin, let space = spaces.randomElement(using: &random) else {
            try await ask(.makeSpace, anybody())
            return
        }
        if world.records(of: space) > FleetWorker.recordsMax || spaces.count > FleetWorker.spacesMax && chance(20) {
            try await ask(.eraseSpace, somebody(in: space, .owner), .space(space))
            return
        }
        let (action, member, target) = draw(space)
        let exchange = try await exchange(action, member, target)
        if chance(15) {
            try await begin(exchange)
        } else if case .accept = action, chance(25) {
            // Twice at once.
            let again = try await self.exchange(action, member, target)
            async let one = exchange.completed(TestClient(port: exchange.port))
            async let other = again.completed(TestClient(port: again.port))
            for request in try await [one, other] { took(request) }
        } else if let client = clients[exchange.port] {
            took(try await exchange.completed(client))
        }
    }

    /// Chooses an action, its sender and its space.
    private mutating func draw(_ space: ID) -> (FleetAction, FleetMember, FleetTarget) {
        let here = FleetTarget.space(space)
        let role = SpaceRole.allCases.randomElement(using: &random) ?? .reader
        let record = ID.random(using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<16: return (.push(record), somebody(in: space, .editor), here)
        case 16..<26: return (.sync(record), somebody(in: space, .editor), here)
        case 26..<38: return (.pull(nil), somebody(in: space, .reader), here)
        case 38..<44:
            let reader = somebody(in: space, .reader)
            return (.pull(world.cursor(of: reader.subject, in: space)), reader, here)
        case 44..<54: return (.invite(role), somebody(in: space, .owner), here)
        case 54..<66:
            guard let offer = world.offer(&random) else { return (.listSpaces, anybody(), .nowhere) }
            return (.accept(offer), anybody(), .nowhere)
        case 66..<73: return (.change(target(in: space), role), somebody(in: space, .owner), here)
        case 73..<77: return (.remove(target(in: space)), somebody(in: space, .owner), here)
        case 77..<79:
            let leaver = somebody(in: space, .reader)
            return (.remove(leaver.subject), leaver, here)
        case 79..<81:
            guard let offer = world.offer(&random) else { return (.listSpaces, anybody(), .nowhere) }
            return (.withdraw(offer.id), somebody(in: offer.space, .owner), .space(offer.space))
        case 81..<85: return (.listMembers, somebody(in: space, .reader), here)
        case 85..<88: return (.listOffers, somebody(in: space, .owner), here)
        case 88..<92: return (.listSpaces, anybody(), .nowhere)
        case 92..<94: return (.push(record), anybody(), .own)
        case 94..<96: return (.pull(nil), anybody(), .own)
        case 96: return (.eraseSpace, somebody(in: space, .owner), here)
        case 97: return (.eraseAccount, anybody(), .nowhere)
        default: return (.makeSpace, anybody(), .nowhere)
        }
    }

    private mutating func anybody() -> FleetMember {
        fleet.members[Int.random(in: fleet.members.indices, using: &random)]
    }

    /// Somebody who may think that this is its right, most of the time; else anybody.
    private mutating func somebody(in space: ID, _ role: SpaceRole) -> FleetMember {
        if chance(20) { return anybody() }
        let subject = world.subjects(in: space, atLeast: role).randomElement(using: &random)
        return subject.flatMap { fleet.member($0) } ?? anybody()
    }

    private mutating func target(in space: ID) -> Subject {
        if chance(15) { return anybody().subject }
        return world.subjects(in: space, atLeast: .reader).randomElement(using: &random) ?? anybody().subject
    }
}
