import StrictJSON
import WireFormats

extension Episode {
    /// Returns the request that the device would make now.
    ///
    /// - Parameters:
    ///   - kind: `push`, `pull` or `sync`.
    ///   - number: the device's index in the fleet.
    ///   - limited: true if the number of changes and the size of pages are drawn at random; false for as many as
    ///     possible.
    ///   - part: the indices of the changes to send, among those that the device could send; `nil` for all, or for the
    ///     first ones.
    func request(
        _ kind: Step.Kind, of number: Int, using random: inout SplitMix64, limited: Bool = true,
        part: Range<Int>? = nil
    ) -> Request {
        if kind != .push { devices[number].prepareToPull() }
        let device = devices[number]
        let limit = limited && random.below(3) > 0 ? 1 + random.below(20) : nil
        var changes: [Change]?
        if kind != .pull {
            // Whole or in part.
            let all = device.sendable(since: start)
            let count = limited && all.count > 1 && random.below(4) == 0 ? 1 + random.below(all.count) : all.count
            changes = Array(part.map { all[$0] } ?? all.prefix(count))
        }
        let action = kind == .sync ? SpaceAction.sync : SpaceAction.changes
        let bytes = route.bytes(
            action, header: vocabulary(device.version).header, device: device.id, cursor: device.cursor, limit: limit,
            isWhole: kind != .pull && device.manner == .wholes,
            body: changes.map { body($0, cursor: device.cursor, limit: kind == .sync ? limit : nil) })
        requestCount += 1
        return Request(
            number: requestCount, device: number, sender: device.id, version: device.version, changes: changes,
            isWhole: device.manner == .wholes, pulls: kind != .push,
            isPlain: device.readsOnlyNews, cursor: device.cursor, bytes: bytes)
    }

    func body(_ changes: [Change], cursor: String?, limit: Int?) -> [UInt8] {
        var writer = JSONWriter(capacity: changes.count * 300 + 300)
        writer.beginObject()
        writer.key(BodyMember.changes)
        writer.beginArray()
        for change in changes { change.write(to: &writer, in: vocabulary(change.version), names) }
        writer.endArray()
        if let cursor {
            writer.member(BodyMember.cursor, cursor)
        }
        if let limit {
            writer.member(BodyMember.limit, limit)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Sends a request of a device, and handles the answer. `fault` is what the network does to the request; `nil` for
    /// nothing.
    func send(_ request: Request, _ fault: Fault?, using random: inout SplitMix64) async throws {
        switch fault {
        case .dropRequest: break
        case .dropResponse: try learn(try exchange(request), request, isGiven: false)
        case .duplicate:
            try learn(try exchange(request), request, isGiven: true)
            try learn(try exchange(request), request, isGiven: false)
        case .delay: held.append(HeldRequest(request: request, isAwaited: true))
        case .reorder: held.append(HeldRequest(request: request, isAwaited: false))
        case .cut where request.isRepeatable:
            let connection = connection(request.device)
            if random.below(2) == 0 {
                try connection.send(Array(request.bytes.prefix(1 + random.below(request.bytes.count - 1))))
                connection.close()
            } else {
                try connection.send(request.bytes)
                let status = try connection.receive(hasBody: false).status
                connection.close()
                // The commit comes before the answer.
                if status == 200 { try learnAgain(request, wasAccepted: true) }
            }
        default: try learn(try exchange(request), request, isGiven: true)
        }
    }

    /// Delivers a delayed request, and handles the answer. The answer is ignored if its device no longer exists or no
    /// longer waits for it.
    ///
    /// - Parameter index: the request's index in `held`.
    func arrive(_ index: Int) async throws {
        let late = held.remove(at: index)
        let isGiven = devices[late.request.device].id == late.request.sender
        try learn(try exchange(late.request), late.request, isGiven: isGiven)
    }

    func exchange(_ request: Request) throws -> HTTPReply {
        if request.changes?.isEmpty == false, isServed(request.version) {
            // Many pushes in one step would leave more possible outcomes than are followed.
            var random = SplitMix64(seed: UInt64(request.number))
            try settleDoubts(using: &random)
            try readNumbers(in: request.version)
        }
        tally.requests += 1
        return try connection(request.device).exchange(request.bytes)
    }

    /// Sends requests of several devices and of a reader at the same time.
    ///
    /// The order of the commits is known from the head (the number of the space's latest change) in each answer. The
    /// answer to a sync (a push and a pull in one request) contains only the head of its pull. So no push is sent at
    /// the same time as a sync.
    func burst(using random: inout SplitMix64) async throws {
        let free = devices.indices.filter { !isWaiting($0) && isServed(devices[$0].version) }.shuffled(using: &random)
        let pushing: Step.Kind = random.below(4) > 0 ? .push : .sync
        var canPush = true
        let requests = free.prefix(2 + random.below(3)).map { number in
            // The stamps that the server gives to changes without stamps would be unknown.
            let isKnown = devices[number].sendable(since: start).allSatisfy(\.isStamped)
            let pulls = random.below(4) == 0 || !isKnown || !canPush
            if !pulls, pushing == .sync { canPush = false }
            return self.request(pulls ? .pull : pushing, of: number, using: &random)
        }
        let served = observers.indices.filter { isServed(observers[$0].version) }
        if served.isEmpty { return }
        let reader = served[random.below(served.count)]
        let sent = try requests.map { request in
            let connection = connection(request.device)
            try connection.send(request.bytes)
            return (connection: connection, request: request)
        }
        let side = side
        try side.send(pull(observers[reader], limit: 1 + random.below(40)))
        let page = try side.receive()
        let replies = try sent.map { (reply: try $0.connection.receive(), request: $0.request) }
        tally.requests += replies.count + 1
        let order = try replies.sorted { try rank($0.reply) < rank($1.reply) }
        for (reply, request) in order { try learn(reply, request, isGiven: true) }
        if page.status == 200 || patience == 0 {
            try observers[reader].take(try self.page(page, in: observers[reader].version))
        }
        if random.below(2) == 0 { observers[reader].remember(using: &random) }
    }

    /// Returns a key by which the answers to simultaneous requests are sorted into the order of their commits.
    ///
    /// The first number is the head (the number of the space's latest change) in the answer. The second number orders
    /// answers with the same head: the push that produced the head comes first.
    private func rank(_ reply: HTTPReply) throws -> (Int64, Int) {
        let head = reply[HeaderName.syncHead.lowercased()].flatMap { Int64($0) } ?? 0
        guard reply.status == 200, let root = try? JSONDocument(parsing: reply.body).root else { return (head, 3) }
        if (root[BodyMember.applied]?.int64 ?? 0) > 0 { return (head, 0) }
        let verdicts = root[BodyMember.results]?.elements?.compactMap { $0[BodyMember.verdict]?.string } ?? []
        return (head, verdicts.contains(VerdictName.merged.rawValue) ? 1 : 2)
    }

    // MARK: Machines that fail

    /// Kills the server's process while it processes a sync of this device, and starts it again.
    func kill(during number: Int, using random: inout SplitMix64) async throws {
        try await fail(during: number, using: &random) { port in
            try await self.site.killServer(listeningOn: port)
            return nil
        } recovering: {
            try self.site.start()
        }
    }

    /// Crashes PostgreSQL while the server processes a sync of this device, and starts it again.
    func crash(during number: Int, using random: inout SplitMix64) async throws {
        try await fail(during: number, using: &random) { _ in
            try await self.site.crashDatabase()
            try await self.site.recoverDatabase()
            return Episode.answersAfterACrash
        } recovering: {
        }
    }

    /// The number of answers that may have a 5xx status after a crash of the database. It is greater than the number of
    /// database sessions of two servers, multiplied by the number of attempts with each session.
    private static let answersAfterACrash = 200
    /// The maximum time between a request and the kill or crash, in microseconds. A push takes a few milliseconds, so
    /// the failure comes before, during or after its commit.
    private static let failureMicrosecondsMax = 8000

    private func fail(
        during number: Int, using random: inout SplitMix64, _ end: (_ port: Int) async throws -> Int?,
        recovering: () async throws -> Void
    ) async throws {
        guard !isWaiting(number) else { return }
        let request = self.request(.sync, of: number, using: &random, limited: false)
        guard request.isRepeatable else { return try learn(try exchange(request), request, isGiven: true) }
        let before = try await site.witness(of: route.space)
        let connection = self.connection(number)
        try connection.send(request.bytes)
        try await Task.sleep(for: .microseconds(random.below(Episode.failureMicrosecondsMax)))
        if let patience = try await end(connection.port) { self.patience = patience }
        let reply = try? connection.receive()
        let isAccepted = try await site.witness(of: route.space) != before
        try await recovering()
        if let reply, reply.status < 500 {
            try learn(reply, request, isGiven: true)
        } else if isAccepted {
            try learnAgain(request, wasAccepted: true)
        }
    }
}
