import SyncModel
import WireFormats

/// Requests that overlap, and requests that are sent again although they were answered.
extension Episode {
    /// Sends two requests of one device without waiting for the first answer. The server processes them in one order,
    /// and the device may receive the answers in the other.
    func overlap(_ number: Int, using random: inout SplitMix64) throws {
        guard !isWaiting(number) else { return }
        let kinds: [Step.Kind] = [.push, .pull, .sync]
        // Each request may have one half of the outbox.
        let count = devices[number].sendable(since: start).count
        let half = count > 1 && random.below(2) == 0 ? 1 + random.below(count - 1) : nil
        var requests = [half.map { 0..<$0 }, half.map { $0..<count }].map { part in
            request(kinds[random.below(kinds.count)], of: number, using: &random, part: part)
        }
        if random.below(2) == 0 { requests.reverse() }
        var answered = try requests.map { (answer: try see(try exchange($0), $0, isGiven: true), request: $0) }
        if random.below(2) == 0 { answered.reverse() }
        for (answer, request) in answered { try give(answer, to: request) }
    }

    /// Remembers a push that the server has answered, to send it once more later.
    func note(_ request: Request) {
        guard request.changes?.isEmpty == false, !received.contains(where: { $0.number == request.number }) else {
            return
        }
        received.append(request)
    }

    /// The answered pushes that must change nothing if they arrive again.
    ///
    /// A push is left out in one case: it edits attributes that are merged as one unit, and another change of the
    /// record has the same stamp. If such an edit has lost, some of its values may win when it arrives again
    /// (`docs/internals/rows.md`, *What depends on the order of arrival*).
    var repeatable: [Request] {
        let editedAsOne = plan.columnsEditedAsOne
        if editedAsOne.allSatisfy(\.isEmpty) { return received }
        func isEditedAsOne(_ change: Change) -> Bool {
            let entity = plan.projection(version: change.version, named: change.key.entity)?.entity
            return entity.map { !editedAsOne[$0].isEmpty } ?? false
        }
        var numbers: [ID: [Stamp: Set<Int>]] = [:]
        for change in received.flatMap({ $0.changes ?? [] }) where change.isStamped {
            numbers[change.key.id, default: [:]][change.stamp, default: []].insert(change.number)
        }
        return received.filter { request in
            request.changes?.allSatisfy { change in
                let equals = numbers[change.key.id]?[change.stamp]?.count ?? 0
                return equals < 2 || !isEditedAsOne(change)
            } ?? true
        }
    }

    /// Sends a request again, and checks the answer; no device receives it.
    func receiveAgain(_ request: Request) throws {
        try learn(try exchange(request), request, isGiven: false)
    }
}

extension Episode {
    /// The maximum number of pushes that are sent again at one check. All pushes would take too long; each check draws
    /// other ones.
    private static let sentAgainMax = 60

    /// Sends answered pushes again, in random order, and checks that they change nothing (promise P4 in
    /// `docs/architecture.md`).
    ///
    /// Pushes from before the latest garbage collection or the latest renewal of the database's epoch are not sent.
    /// Pushes with an unstamped change are not sent either, because the server treats such a change as a new one each
    /// time.
    func sendAllAgain(using random: inout SplitMix64) async throws {
        let before = devices.map(\.base)
        let pushes = repeatable.filter { $0.changes?.allSatisfy(\.isStamped) == true }.shuffled(using: &random)
        for request in pushes.prefix(Episode.sentAgainMax) { try receiveAgain(request) }
        for number in devices.indices { try await settleAll(number, using: &random, pulling: true) }
        for (device, store) in zip(devices, before) where isServed(device.version) {
            try expectEqual(
                "device \(device.number) when all was sent again", device.base, "the same before", store)
        }
        for version in Set(devices.map(\.version)).sorted() where isServed(version) {
            guard let device = devices.first(where: { $0.version == version }) else { continue }
            let fresh = try read(Observer(version: version), using: &random).store
            try expectEqual("a new device when all was sent again", fresh, "device \(device.number)", device.base)
        }
    }
}
