import SyncEngine
import SyncServer
import SyncTestSupport
import WireFormats

extension FleetRequest {
    /// Returns what the request did or saw in a space.
    ///
    /// - Parameter before: the records that the space had at the latest look into the database.
    func events(in space: ID, before: Set<ID>, since start: ContinuousClock.Instant) -> [SpaceEvent] {
        func event(_ kind: SpaceEvent.Kind, isCertain: Bool = true) -> SpaceEvent {
            SpaceEvent(kind: kind, from: sent, to: answered, isCertain: isCertain) { story(since: start) }
        }
        switch action {
        case .listSpaces where isDone:
            return [event(.sawSpace(sender, listed.contains(space)))]
        case .eraseAccount: return goings(in: space).map { event($0.kind, isCertain: $0.isCertain) }
        case .makeSpace where isDone && answer["space"].string == space.description: return [event(.made(sender))]
        default: break
        }
        guard target.space == space else { return [] }
        var found: [SpaceEvent] = []
        if let stored { found.append(event(.pushed(sender, stored))) }
        if let read { found.append(event(.pulled(sender, read.subtracting(before)))) }
        if status == 503, case .eraseSpace = action { found.append(event(.erased(sender), isCertain: false)) }
        if let kind = isDone ? deed : finding { found.append(event(kind)) }
        return found
    }

    /// The spaces that went with an account, or those that keep it.
    var named: Set<ID> { Set(answer["spaces"].elements.compactMap { $0.uuid }) }

    private var deed: SpaceEvent.Kind? {
        switch action {
        case .invite(let role):
            return answer["invitation"].uuid.map { .invited(sender, $0, role) }
        case .accept(let offer):
            return answer["role"].string.flatMap { SpaceRole(rawValue: $0) }
                .map { .accepted(sender, offer.id, offer.role, $0) }
        case .change(let subject, let role): return .changed(sender, subject, role)
        case .remove(let subject): return .removed(sender, subject)
        case .withdraw(let offer): return .withdrew(sender, offer)
        case .listMembers: return .sawMembers(sender, roles)
        case .listOffers:
            let offers = answer["invitations"].elements.compactMap { $0["invitation"].uuid }
            return .sawOffers(sender, Set(offers))
        case .eraseSpace: return .erased(sender)
        case .makeSpace, .listSpaces, .push, .sync, .pull, .eraseAccount: return nil
        }
    }

    /// The finding of an answer by which nothing was changed.
    private var finding: SpaceEvent.Kind? {
        switch (action, code) {
        case (.accept(let offer), "invitation-unknown"): .refused(offer.id)
        case (.change(let subject, _), "not-found"), (.remove(let subject), "not-found"): .missed(sender, subject)
        case (.change(let subject, _), "last-owner"), (.remove(let subject), "last-owner"): .kept(sender, subject)
        default: nil
        }
    }

    private var roles: [Subject: SpaceRole] {
        var roles: [Subject: SpaceRole] = [:]
        for member in answer["members"].elements {
            guard let subject = member["subject"].string, let role = member["role"].string else { continue }
            roles[Subject(subject)] = SpaceRole(rawValue: role)
        }
        return roles
    }

    /// An account ends space by space, and once more in those that its subject came back to meanwhile.
    private func goings(in space: ID) -> [(kind: SpaceEvent.Kind, isCertain: Bool)] {
        switch status {
        case 200...299: [(.went(sender, nil), false), (.went(sender, named.contains(space)), true)]
        case 409: named.contains(space) ? [(.needed(sender), true)] : [(.went(sender, nil), false)]
        case 503: [(.went(sender, nil), false)]
        default: []
        }
    }
}
