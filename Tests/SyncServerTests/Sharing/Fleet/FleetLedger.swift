import SyncTestSupport
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// The model's state of all spaces, from one look into the database to the next.
struct FleetLedger {
    let start: ContinuousClock.Instant
    /// The spaces that are not erased.
    private(set) var spaces: [ID: MemberModel] = [:]
    private var ended: Set<ID> = []
    private var looked: ContinuousClock.Instant
    private(set) var records: [ID: Set<ID>] = [:]
    private(set) var personal: [Subject: ID] = [:]
    private var turns = FleetTurns()
    private var accounts = FleetAccounts()

    init(start: ContinuousClock.Instant) {
        (self.start, looked) = (start, start)
    }

    /// Compares what was asked and answered with what there is now.
    ///
    /// - Returns: what cannot be; `nil` if all can.
    mutating func fault(in requests: [FleetRequest], _ audit: FleetAudit) -> String? {
        for request in requests where !request.isExpected { return "nothing explains\n  \(story(request))" }
        accounts.note(requests)
        if let fault = accounts.fault(in: requests) { return "\(fault.what)\n  \(story(fault.request))" }
        let resolved = target(requests, audit)
        if let unknown = unknown(in: resolved, audit) { return unknown }
        var events: [ID: [SpaceEvent]] = [:]
        for space in Set(spaces.keys).union(audit.spaces.keys).union(audit.records.keys) {
            if ended.contains(space) {
                if audit.records[space] == nil, audit.spaces[space] == MemberModel(isErased: true) { continue }
                return "the space \(space) was erased and has \(audit.spaces[space] ?? MemberModel()) again"
            }
            let found = happened(in: space, of: resolved, audit)
            events[space] = found
            if let fault = fault(in: space, found, audit) {
                return "in the space \(space)\n  \(fault)\(history(of: space, resolved))"
            }
        }
        turns.note(events)
        for request in resolved {
            guard let (space, role) = request.refused(personal) else { continue }
            guard let model = spaces[space], let own = model.members[request.sender], own >= role,
                !turns.mayHaveTurned(
                    request.sender, in: space, since: min(request.believedSince, looked), to: request.answered)
            else { continue }
            return """
                in the space \(space)
                  “\(story(request))” was refused, and it was its sender's right for long: \(own.rawValue)\
                \(history(of: space, resolved))
                """
        }
        looked = .now
        turns.forget(before: .now - .seconds(30))
        ended.formUnion(audit.spaces.filter(\.value.isErased).keys)
        (spaces, records, personal) = (audit.spaces.filter { !$0.value.isErased }, audit.records, audit.personal)
        return nil
    }

    private func fault(in space: ID, _ events: [SpaceEvent], _ audit: FleetAudit) -> String? {
        let before = spaces[space] ?? MemberModel()
        var after = audit.spaces[space] ?? MemberModel()
        let stored = audit.records[space] ?? []
        if after.isErased {
            if !stored.isEmpty { return "\(stored.count) records are left of it, and it was erased" }
        } else {
            let lost = (records[space] ?? []).subtracting(stored)
            if let one = lost.first { return "\(lost.count) records are lost, such as \(one)" }
            if !after.members.values.contains(.owner) { return "nobody owns it: \(after)" }
        }
        after.records = stored.subtracting(records[space] ?? [])
        return SpaceHistory(events: events).fault(from: before, to: after)
    }

    /// Only what can be of an account's end is among them: each other one makes the history longer.
    private func happened(in space: ID, of requests: [FleetRequest], _ audit: FleetAudit) -> [SpaceEvent] {
        var found = requests.flatMap { $0.events(in: space, before: records[space] ?? [], since: start) }
        if spaces[space] == nil, !found.contains(where: { if case .made = $0.kind { true } else { false } }) {
            found += beginning(of: space, requests, audit)
        }
        var comers: Set<Subject> = []
        for event in found {
            switch event.kind {
            case .made(let subject), .accepted(let subject, _, _, _): comers.insert(subject)
            default: break
            }
        }
        let members = comers.union((spaces[space] ?? MemberModel()).members.keys)
        return found.filter { event in
            guard case .went(let subject, let isErasing) = event.kind else { return true }
            let isAgain = isErasing == nil && found.contains { $0.from == event.from && $0.isCertain }
            return isErasing == true || (isAgain ? comers : members).contains(subject)
        }
    }

    /// A personal space is made by the first request for `me`.
    private func beginning(of space: ID, _ requests: [FleetRequest], _ audit: FleetAudit) -> [SpaceEvent] {
        let uses = requests.filter { $0.target == .own || $0.target == .space(space) }
        let owners = Set(uses.map(\.sender)).filter { subject in
            audit.personal[subject] == space
                || requests.contains { $0.sender == subject && $0.mayHaveErased(space) }
        }
        return owners.flatMap { owner -> [SpaceEvent] in
            let own = uses.filter { $0.sender == owner }
            guard let from = own.map(\.begun).min(), let to = own.map(\.answered).max() else { return [] }
            return [
                SpaceEvent(
                    kind: .made(owner), from: from, to: to, isCertain: false
                ) { "\(owner.bytes) begins a personal space" }
            ]
        }
    }

    /// Says which space `me` was, where that can be known.
    private func target(_ requests: [FleetRequest], _ audit: FleetAudit) -> [FleetRequest] {
        let homes = Dictionary(
            audit.records.flatMap { space, records in records.map { ($0, space) } },
            uniquingKeysWith: { first, _ in first })
        return requests.map { request in
            guard request.target == .own else { return request }
            var request = request
            if let home = personal[request.sender], audit.personal[request.sender] == home,
                !requests.contains(where: { $0.mayEnd(home, of: request.sender) })
            {
                request.target = .space(home)
            } else if let record = request.stored, let home = homes[record] ?? seen(record, requests) {
                request.target = .space(home)
            }
            return request
        }
    }

    /// Returns the space in which a member read a record of which nothing is left.
    private func seen(_ record: ID, _ requests: [FleetRequest]) -> ID? {
        requests.first { $0.target.space != nil && $0.read?.contains(record) == true }?.target.space
    }

    /// Returns a space that nobody made, or a record that nobody pushed there, as a fault.
    private func unknown(in requests: [FleetRequest], _ audit: FleetAudit) -> String? {
        let known = Set(spaces.keys).union(audit.spaces.keys).subtracting(ended)
        for request in requests {
            if let foreign = request.listed.subtracting(known).first {
                return "there is no space \(foreign)\n  \(story(request))"
            }
            guard request.target == .own, let read = request.read, let home = personal[request.sender] else { continue }
            let own = requests.filter { $0.sender == request.sender && $0.target == .own }.compactMap(\.stored)
            let foreign = read.subtracting(records[home] ?? []).subtracting(own)
                .subtracting(audit.personal[request.sender].flatMap { audit.records[$0] } ?? [])
                .filter { record in !requests.contains { $0.target == .space(home) && $0.stored == record } }
            if let one = foreign.first { return "\(one) is none of its own\n  \(story(request))" }
        }
        return nil
    }

    private func story(_ request: FleetRequest) -> String { request.story(since: start) }

    private func history(of space: ID, _ requests: [FleetRequest]) -> String {
        let about = requests.filter { request in
            request.target == .space(space) || request.target == .own
                || request.action.isErasure && request.target == .nowhere
                || request.answer["space"].string == space.description || request.listed.contains(space)
        }
        let lines = about.sorted { $0.sent < $1.sent }.map { "\n    \(story($0))" }
        return "\n  before: \(spaces[space] ?? MemberModel())\n  since then:\(lines.joined())"
    }
}

extension FleetAction {
    var isErasure: Bool {
        switch self {
        case .eraseSpace, .eraseAccount: true
        default: false
        }
    }
}

extension FleetRequest {
    /// True if the request can have taken a space from its subject.
    fileprivate func mayEnd(_ home: ID, of subject: Subject) -> Bool {
        switch action {
        case .eraseAccount: sender == subject
        case .eraseSpace: target.space == home
        case .remove(let removed): target.space == home && removed == subject
        default: false
        }
    }

    /// True if the end of an account may have erased this space, as far as its answer says.
    fileprivate func mayHaveErased(_ space: ID) -> Bool {
        guard case .eraseAccount = action else { return false }
        // The answer for an account that stays lists the spaces that keep it, and not those that went.
        return isDone ? named.contains(space) : status != 401
    }

    /// The space in which it was refused what takes this role.
    fileprivate func refused(_ personal: [Subject: ID]) -> (space: ID, role: SpaceRole)? {
        guard let space = target.space, let least = action.leastRole(of: sender) else { return nil }
        if isReadOnly { return (space, .editor) }
        return status == 403 ? (space, least) : nil
    }

    /// From when on what it was refused for may have been: a new token is looked up once it is there.
    fileprivate var believedSince: ContinuousClock.Instant {
        token.isNew ? token.made : begun - TokenMemory.rememberedFor - .seconds(1)
    }
}
