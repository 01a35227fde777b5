import PGMigrations
import PGStore
import Postgres
import SyncEngine
import WireFormats

/// Sends the new heads of changed spaces (the numbers of their latest changes) to the hub, which passes them to the
/// listening clients. The heads come from this server's pushes and from other servers' announcements. Announcements may
/// be lost, so the heads are also read from the database from time to time.
final class EventFeed: Sendable {
    let hub = EventHub()
    private let engines: [String: SyncEngine]
    /// The spaces that the engines have changed.
    private let moved: MovedSpaces
    private let unannounced = MovedSpaces()
    private let authenticator: Authenticator
    private let pool: Pool
    private let database: ConnectionString
    private let registration: ServerRegistration
    private let lifeline: Lifeline
    private let log: Log

    /// The pause after each round of sending changes to clients and announcing them to other servers. A change in a
    /// quiet period is sent at once. If many spaces change, there are at most twenty rounds a second.
    static let rest = Duration.milliseconds(50)
    /// The time between two reviews. A review asks the database for the heads of the spaces with listeners, and checks
    /// that the tokens are still valid. So if an announcement is lost, the listeners learn of the change at most this
    /// much later, and a revoked token may listen for as long.
    static let reviewInterval = Duration.seconds(30)
    /// The maximum number of spaces, or tokens, in one statement: some milliseconds' work.
    private static let reviewedMax = 2_000
    /// The wait before the channel that receives the other servers' announcements is opened again. It is doubled after
    /// each failure, up to the longest.
    private static let backOff = (first: Duration.milliseconds(100), longest: Duration.seconds(10))

    init(
        _ engines: [SyncEngine], moved: MovedSpaces, authenticator: Authenticator, pool: Pool,
        database: ConnectionString, registration: ServerRegistration, lifeline: Lifeline, log: Log
    ) {
        self.engines = Dictionary(uniqueKeysWithValues: engines.map { ($0.plan.app, $0) })
        self.moved = moved
        self.authenticator = authenticator
        self.pool = pool
        self.database = database
        self.registration = registration
        self.lifeline = lifeline
        self.log = log
    }

    /// Sends changes to clients, announces them to other servers, and reviews all listeners once in each `interval`,
    /// until the task is cancelled. Call this only once.
    func run(reviewing interval: Duration) async {
        await withTaskGroup { group in
            group.addTask { await self.deliver() }
            group.addTask { await self.announce() }
            group.addTask { await self.listen() }
            group.addTask { await self.keepReviewing(interval) }
        }
    }

    /// Reads the heads (latest change numbers) of the spaces with listeners from the database, and passes them to the
    /// hub. Ends the streams whose token no longer gives a right to the space. Also ends the streams of spaces that
    /// this server may no longer serve.
    ///
    /// - Throws: `PGError`. All streams then continue.
    func review() async throws {
        if registration.isOutdated { return hub.end { _, _ in true } }
        var failure: (any Error)?
        for (app, names) in Dictionary(grouping: hub.spaces, by: \.app) {
            guard let engine = engines[app] else { continue }
            for part in names.parts(of: EventFeed.reviewedMax) {
                let heads = await engine.heads(of: part.map(\.space))
                hub.publish(
                    Dictionary(
                        uniqueKeysWithValues: heads.known.map { (SpaceName(app: app, space: $0.key), $0.value) }))
                // The client's next request gets the reason, or reaches the database that serves the space now.
                if !heads.outdated.isEmpty {
                    hub.end { name, _ in name.app == app && heads.outdated.contains(name.space) }
                }
                failure = failure ?? heads.failure
            }
        }
        for part in Array(hub.tokens).parts(of: EventFeed.reviewedMax) {
            let asked = Set(part)
            let grants = try await authenticator.grants(ofHashes: part)
            hub.end { name, token in
                asked.contains(token) && grants[token]?.role(in: name) == nil
            }
        }
        if let failure { throw failure }
    }

    private func deliver() async {
        while let spaces = await moved.next() {
            hub.publish(spaces)
            unannounced.note(spaces)
            try? await Task.sleep(for: EventFeed.rest)
        }
    }

    /// Announces changed spaces to the other servers. This is never done inside a push's transaction. PostgreSQL
    /// commits transactions with a `NOTIFY` one at a time, so pushes to different spaces would wait for each other.
    private func announce() async {
        while let spaces = await unannounced.next() {
            await announce(spaces)
            try? await Task.sleep(for: EventFeed.rest)
        }
    }

    /// Announces the last changed spaces to other servers, after `run` was cancelled. Pushes that were still in flight
    /// may have changed them since.
    func announceLast() async {
        unannounced.note(moved.take())
        let spaces = unannounced.take()
        if !spaces.isEmpty { await announce(spaces) }
    }

    private func announce(_ spaces: [SpaceName: SpaceHead]) async {
        do {
            try await NotificationChannel.notify(
                Announcement.payloads(of: spaces), on: Announcement.channel, through: pool)
        } catch {
            // The other servers find the changes at their next review.
            log.error("announcing spaces failed", error, ["spaces": .count(spaces.count)])
        }
    }

    /// Receives the announcements of changed spaces that servers make. This server's own announcements arrive too, but
    /// contain nothing new for it.
    private func listen() async {
        var wait = EventFeed.backOff.first
        let outage = Outage(
            log, failing: "the channel between servers is lost",
            working: "the database answers again: the channel between servers is open")
        while !Task.isCancelled {
            do {
                let channel = try await NotificationChannel.open(
                    Announcement.channel, of: database, role: LoginRights.servingRoleName, lifeline: lifeline)
                do {
                    // Finds the changes that were announced while the channel was closed.
                    try await review()
                    wait = EventFeed.backOff.first
                    outage.worked()
                    while true {
                        for payload in try await channel.next() { hub.publish(Announcement.moved(in: payload)) }
                    }
                } catch {
                    await channel.close()
                    throw error
                }
            } catch {
                if Task.isCancelled { return }
                outage.failed(error)
            }
            try? await Task.sleep(for: wait * Double.random(in: 0.5...1))
            wait = min(wait * 2, EventFeed.backOff.longest)
        }
    }

    private func keepReviewing(_ interval: Duration) async {
        let outage = Outage(log, failing: "looking for lost events failed", working: "lost events are looked for again")
        while (try? await Task.sleep(for: interval)) != nil {
            do {
                try await review()
                outage.worked()
            } catch {
                if Task.isCancelled { return }
                outage.failed(error)
            }
        }
    }
}

extension Array {
    /// Splits the array into parts of at most `size` elements.
    fileprivate func parts(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}
