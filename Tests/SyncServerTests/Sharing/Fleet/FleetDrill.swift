import SyncEngine
import SyncServer
import SyncTestSupport
import WireFormats

/// A rare case that failed once, run among all the other steps now and then.
enum FleetDrill: CaseIterable, Sendable {
    /// Two whose names look the same come at the same moment, each with new tokens.
    case twins
    /// Somebody is removed, or becomes a reader, while its bodies are on their way.
    case removal
    /// An owner's invitation is accepted once that owner is none any more.
    case offers
    /// Owners erase their accounts at the same time; or somebody joins whom the last one leaves.
    case leaving
}

extension FleetWorker {
    mutating func run(_ drill: FleetDrill) async throws {
        switch drill {
        case .twins: try await twins()
        case .removal: try await removal()
        case .offers: try await offers()
        case .leaving: try await leaving()
        }
    }

    private mutating func twins() async throws {
        let pair = fleet.twins(&random)
        guard let space = try await space(of: pair[0]) else { return }
        try await ask(.push(.random(using: &random)), pair[0], .space(space))
        let port = port()
        var exchanges: [FleetExchange] = []
        for member in [pair[0], pair[1], pair[1], pair[0], pair[1], pair[0], pair[1]] {
            let token = try await member.token(new: true, &random)
            let action: FleetAction = chance(50) ? .pull(nil) : .sync(.random(using: &random))
            exchanges.append(try await exchange(action, member, .space(space), token: token, port: port))
        }
        let requests = try await withThrowingTaskGroup { group in
            for exchange in exchanges {
                group.addTask { try await exchange.completed(TestClient(port: exchange.port)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for request in requests { took(request) }
        try await ask(.eraseSpace, pair[0], .space(space))
    }

    private mutating func removal() async throws {
        let two = fleet.members.shuffled(using: &random).prefix(2)
        let (owner, other) = (two[0], two[1])
        guard let space = try await space(of: owner) else { return }
        try await bring(other, to: space, of: owner, as: chance(50) ? .owner : .editor)
        let token = try await other.token(new: true, &random)
        let port = port()
        // From here on the server remembers what the token may.
        try await ask(.pull(nil), other, .space(space), token: token, port: port)
        let slow: [FleetAction] = [
            .push(.random(using: &random)), .sync(.random(using: &random)), .pull(nil), .invite(.owner), .eraseSpace,
            .remove(owner.subject),
        ]
        for action in slow.shuffled(using: &random).prefix(2) {
            try await begin(exchange(action, other, .space(space), token: token.used, port: port))
        }
        let isRemoval = chance(70)
        try await ask(isRemoval ? .remove(other.subject) : .change(other.subject, .reader), owner, .space(space))
        let quick: FleetAction = isRemoval && chance(50) ? .pull(nil) : .push(.random(using: &random))
        try await ask(quick, other, .space(space), token: token.used, port: port)
    }

    private mutating func offers() async throws {
        let three = fleet.members.shuffled(using: &random).prefix(3)
        let (owner, other, third) = (three[0], three[1], three[2])
        guard let space = try await space(of: owner) else { return }
        try await bring(other, to: space, of: owner, as: .owner)
        guard let offer = try await offer(of: other, to: space, as: .owner) else { return }
        try await ask(chance(50) ? .remove(other.subject) : .change(other.subject, .editor), owner, .space(space))
        try await ask(.accept(offer), third)
        if chance(50) { try await ask(.eraseSpace, owner, .space(space)) }
    }

    private mutating func leaving() async throws {
        let (one, other) = (fleet.guest(&random), fleet.guest(&random))
        let third = fleet.members.shuffled(using: &random)[0]
        guard let space = try await space(of: one) else { return }
        var exchanges = [try await exchange(.eraseAccount, one, port: fleet.ports.first)]
        if chance(50) {
            try await bring(other, to: space, of: one, as: .owner)
            try await bring(third, to: space, of: one, as: .editor)
            exchanges.append(try await exchange(.eraseAccount, other, port: fleet.ports.last))
        } else if let offer = try await offer(of: one, to: space, as: chance(50) ? .owner : .editor) {
            exchanges.append(try await exchange(.accept(offer), third, port: fleet.ports.last))
        }
        let requests = try await withThrowingTaskGroup { group in
            for exchange in exchanges {
                group.addTask { try await exchange.completed(TestClient(port: exchange.port)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for request in requests { took(request) }
        for member in [one, other, third] { try await ask(.eraseSpace, member, .space(space)) }
    }

    /// A new space.
    private mutating func space(of owner: FleetMember) async throws -> ID? {
        try await ask(.makeSpace, owner).answer["space"].uuid
    }

    private mutating func offer(of owner: FleetMember, to space: ID, as role: SpaceRole) async throws -> FleetOffer? {
        let answer = try await ask(.invite(role), owner, .space(space)).answer
        guard let id = answer["invitation"].uuid, let secret = answer["secret"].string else {
            return nil
        }
        return FleetOffer(id: id, secret: secret, role: role, space: space)
    }

    private mutating func bring(
        _ other: FleetMember, to space: ID, of owner: FleetMember, as role: SpaceRole
    ) async throws {
        guard let offer = try await offer(of: owner, to: space, as: role) else { return }
        try await ask(.accept(offer), other)
    }
}
