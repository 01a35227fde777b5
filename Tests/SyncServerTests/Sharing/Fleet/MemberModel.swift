import SyncEngine
import SyncServer
import WireFormats

/// A model of one space's members, whose events happen one after the other.
struct MemberModel: Hashable, Sendable {
    struct Offer: Hashable, Sendable {
        let role: SpaceRole
        let maker: Subject
    }

    var isErased = false
    var members: [Subject: SpaceRole] = [:]
    var offers: [ID: Offer] = [:]
    /// The records that came since the latest look into the database.
    var records: Set<ID> = []

    /// The space after something; `nil` where that cannot be.
    func after(_ kind: SpaceEvent.Kind) -> MemberModel? {
        var next = self
        switch kind {
        case .made(let subject):
            guard members.isEmpty, !isErased else { return nil }
            next.members[subject] = .owner
        case .invited(let subject, let offer, let role):
            guard has(subject, .owner) else { return nil }
            next.offers[offer] = Offer(role: role, maker: subject)
        case .accepted(let subject, let offer, let offered, let role):
            return accepting(offer, of: offered, by: subject, becoming: role)
        case .changed(let actor, let subject, let role):
            guard has(actor, .owner), members[subject] != nil else { return nil }
            guard role == .owner || hasAnotherOwner(than: subject) else { return nil }
            next.members[subject] = role
            if role < .owner { next.void(by: subject) }
        case .removed(let actor, let subject):
            guard has(actor, .owner) || actor == subject, members[subject] != nil, hasAnotherOwner(than: subject)
            else { return nil }
            next.remove(subject)
        case .withdrew(let subject, let offer):
            guard has(subject, .owner) else { return nil }
            next.offers[offer] = nil
        case .pushed(let subject, let record):
            guard has(subject, .editor) else { return nil }
            next.records.insert(record)
        case .erased(let subject):
            guard has(subject, .owner) else { return nil }
            next = MemberModel(isErased: true)
        case .went(let subject, let isErasing): return leaving(subject, isErasing: isErasing)
        case .refused, .missed, .kept, .sawMembers, .sawOffers, .sawSpace, .pulled, .needed:
            return agrees(with: kind) ? self : nil
        }
        return next
    }

    /// True if an event that only reads agrees with this state; `false` for one that changes something.
    func agrees(with kind: SpaceEvent.Kind) -> Bool {
        switch kind {
        case .refused(let offer): offers[offer].map { !has($0.maker, .owner) } ?? true
        case .missed(let actor, let subject): has(actor, .owner) && members[subject] == nil
        case .kept(let actor, let subject):
            (has(actor, .owner) || actor == subject) && members[subject] == .owner && !hasAnotherOwner(than: subject)
        case .sawMembers(let subject, let seen): has(subject, .reader) && seen == members
        case .sawOffers(let subject, let seen): has(subject, .owner) && seen == Set(offers.keys)
        case .sawSpace(let subject, let isMember): (members[subject] != nil) == isMember
        case .pulled(let subject, let seen): has(subject, .reader) && seen == records
        case .needed(let subject):
            members[subject] == .owner && members.count > 1 && !hasAnotherOwner(than: subject)
        case .made, .invited, .accepted, .changed, .removed, .withdrew, .pushed, .erased, .went: false
        }
    }

    func has(_ subject: Subject, _ role: SpaceRole) -> Bool { members[subject].map { $0 >= role } ?? false }

    /// Who owns nothing can always go.
    private func hasAnotherOwner(than subject: Subject) -> Bool {
        members[subject] != .owner || members.contains { $0.key != subject && $0.value == .owner }
    }

    private func accepting(
        _ id: ID, of offered: SpaceRole, by subject: Subject, becoming role: SpaceRole
    ) -> MemberModel? {
        // Who has as much already is answered so, and the offer stays.
        if has(subject, offered) { return members[subject] == role ? self : nil }
        guard let offer = offers[id], offer.role == role, has(offer.maker, .owner) else { return nil }
        var next = self
        next.offers[id] = nil
        next.members[subject] = role
        return next
    }

    private func leaving(_ subject: Subject, isErasing: Bool?) -> MemberModel? {
        guard members[subject] != nil else { return isErasing == true ? nil : self }
        let isAlone = members.count == 1
        guard isAlone || hasAnotherOwner(than: subject), isErasing == nil || isErasing == isAlone else { return nil }
        if isAlone { return MemberModel(isErased: true) }
        var next = self
        next.remove(subject)
        return next
    }

    private mutating func remove(_ subject: Subject) {
        members[subject] = nil
        void(by: subject)
    }

    private mutating func void(by subject: Subject) {
        offers = offers.filter { $0.value.maker != subject }
    }
}

extension MemberModel: CustomStringConvertible {
    var description: String {
        if isErased, members.isEmpty, offers.isEmpty { return "erased, \(records.count) new records" }
        let who = members.sorted { $0.key < $1.key }.map { "\($0.key.bytes): \($0.value.rawValue)" }
        let what = offers.map { "\($0.key.brief) as \($0.value.role.rawValue) of \($0.value.maker.bytes)" }.sorted()
        let parts = [("members", who), ("offers", what), ("new records", records.map(\.brief).sorted())]
        return (isErased ? "erased, " : "")
            + parts.map { "\($0): \($1.isEmpty ? "none" : $1.joined(separator: ", "))" }.joined(separator: "; ")
    }
}

extension ID {
    /// Enough to distinguish a few from each other.
    var brief: String { String(description.prefix(8)) }
}
