import Glibc
import WireFormats

extension Episode {
    /// The maximum number of rounds (a push and a pull) that do not make a device's outbox smaller. A device that needs
    /// more is stuck.
    private static let roundsMax = 30

    // MARK: Reading along

    func pull(_ observer: Observer, limit: Int?) -> [UInt8] {
        route.bytes(
            SpaceAction.changes, header: vocabulary(observer.version).header, device: nil, cursor: observer.cursor,
            limit: limit,
            body: nil)
    }

    func page(_ reply: HTTPReply, in version: Int) throws -> PageReply {
        guard reply.status == 200 else { throw Breach("somebody who reads was answered \(reply)\n\(site.lastWords)") }
        let page = try AnswerReader(vocabulary: vocabulary(version)).page(try root(of: reply))
        cursors.insert(page.cursor)
        return page
    }

    /// Lets an observer (a client that only reads) pull one page, and sometimes remembers its cursor for later checks.
    func observe(using random: inout SplitMix64) throws {
        let served = observers.indices.filter { isServed(observers[$0].version) }
        guard !served.isEmpty else { return }
        let index = served[random.below(served.count)]
        try observers[index].take(nextPage(observers[index], limit: 1 + random.below(60)))
        if random.below(3) > 0 { observers[index].remember(using: &random) }
    }

    private func nextPage(_ observer: Observer, limit: Int?) throws -> PageReply {
        let reply = try answer(to: pull(observer, limit: limit))
        let page = try page(reply, in: observer.version)
        if !page.more, let head = reply[HeaderName.syncHead.lowercased()].flatMap({ Int64($0) }) {
            for record in page.records where record.seq > head {
                throw Breach("\(record.key.shown) has the number \(record.seq), and the head is \(head)")
            }
        }
        return page
    }

    /// Sends a request, and returns the answer. After a crash of the database, the request is repeated while the answer
    /// has a 5xx status.
    func answer(to bytes: [UInt8]) throws -> HTTPReply {
        while true {
            tally.requests += 1
            let reply = try control.exchange(bytes)
            // While the space moves, no database serves it for a moment.
            if mover?.isRunning == true, reply.status == 503, code(of: reply) == .spaceMoving {
                usleep(Episode.movingMicroseconds)
                continue
            }
            guard reply.status >= 500, patience > 0 else { return reply }
            patience -= 1
        }
    }

    /// Pulls until there are no more pages, and returns the observer (a client that only reads) after that.
    func read(_ observer: Observer, using random: inout SplitMix64) throws -> Observer {
        var observer = observer
        let limit = [nil, 7, 50][random.below(3)]
        while true {
            let page = try nextPage(observer, limit: limit)
            try observer.take(page)
            if !page.more { return observer }
        }
    }

    // MARK: Quiescence

    /// Lets a device send all its changes, and then pull everything. The changes stay on the device if the server does
    /// not accept their versions at present.
    ///
    /// - Parameter pulling: false if the device only sends.
    /// - Throws: `Breach` if the device makes no progress.
    func settleAll(_ number: Int, using random: inout SplitMix64, pulling: Bool) async throws {
        guard isServed(devices[number].version) else { return }
        let canPush = areServed(devices[number].outbox)
        var rounds = 0
        while rounds < Episode.roundsMax {
            let waiting = devices[number].outbox.count
            // A push contains only one change without a stamp of each record, so a full outbox takes many pushes.
            defer { if devices[number].outbox.count >= waiting { rounds += 1 } }
            if !devices[number].outbox.isEmpty, canPush {
                let push = request(.push, of: number, using: &random, limited: false)
                try learn(try exchange(push), push, isGiven: true)
            }
            guard pulling else {
                if devices[number].outbox.isEmpty || !canPush { return }
                continue
            }
            let pull = request(.pull, of: number, using: &random, limited: false)
            try learn(try exchange(pull), pull, isGiven: true)
            if devices[number].outbox.isEmpty || !canPush, devices[number].readsOnlyNews { return }
        }
        throw Breach("device \(number) is stuck: after \(Episode.roundsMax) rounds for nothing it has not got through")
    }

    /// Ends all faults, lets every device sync, and checks that all devices of a version hold the same records.
    func check(using random: inout SplitMix64) async throws {
        tally.checks += 1
        while !held.isEmpty { try await arrive(random.below(held.count)) }
        try await restoreVersions()
        try await replayQuarantine()
        for _ in 1...2 {
            for number in devices.indices {
                try await settleAll(number, using: &random, pulling: true)
                // The records received may now resolve a doubt.
                try settleDoubts(using: &random)
            }
        }
        let versions = Set(devices.map(\.version)).union(observers.map(\.version)).filter { isServed($0) }
        for version in versions.sorted() { try await compare(version, using: &random) }
        try await sendAllAgain(using: &random)
        try await shuffle(using: &random)
        try await beginToRefuse()
    }

    private func compare(_ version: Int, using random: inout SplitMix64) async throws {
        let name = vocabulary(version).header.prefix { $0 != ";" }
        let fresh = try read(Observer(version: version), using: &random).store
        for device in devices where device.version == version {
            try expectEqual("device \(device.number) of \(name)", device.base, "a new one", fresh)
        }
        for backup in backups where backup.version == version {
            let late = try await readOn(backup, using: &random)
            try expectEqual("device \(backup.number) of a backup", late.base, "a new device of \(name)", fresh)
        }
        for index in observers.indices where observers[index].version == version {
            for remembered in observers[index].remembered {
                let late = try read(Observer(version: version, from: remembered), using: &random)
                try expectEqual("who reads \(name) from a cursor of before", late.store, "a new device", fresh)
            }
            observers[index] = try read(observers[index], using: &random)
            try expectEqual("who reads \(name) along", observers[index].store, "a new device", fresh)
        }
        try judge.learn(fresh, in: version)
    }

    func expectEqual(_ name: String, _ store: Store, _ otherName: String, _ other: Store) throws {
        let found = Comparison.differences(name, store, otherName, other)
        if !found.isEmpty { throw Breach("\(name) and \(otherName) differ:\n" + found.joined(separator: "\n")) }
    }
}
