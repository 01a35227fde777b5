import Foundation

/// One space with very many devices that listen, beside the usual requests of the busiest hour to the same database.
///
/// Each push makes all devices that listen pull. Pushes wait for the lock of the space's row, and all requests for the
/// cores of the database.
struct HotSpace {
    /// The settings of one run.
    struct Setting {
        let listeners: Int
        let pushesPerSecond: Double
        /// True if servers refuse requests above `Limit.spaceRate`.
        let hasRates: Bool
    }

    private enum Event {
        case pushArrives, otherArrives
        case pushAgain(pause: Float)
        case lockIsFree
        /// A server tells its listeners of the changes since the last time.
        case round
        case notice(UInt32)
        case pull(UInt32)
        case atDatabase(UInt32, arrival: Double)
        case answer(UInt32, version: Int32)
        case otherAtDatabase(Request, arrival: Double, server: Int, waited: Double)
        case otherAnswered(server: Int)
    }

    /// A device that listens.
    private struct Listener {
        /// The number of pushes that it has seen.
        var seen: Int32 = 0
        var isAsking = false
        var pause = Float(Limit.retryPauseSeconds.first)
    }

    static let recordedFrom = 10.0
    static let endSeconds = 130.0

    private let setting: Setting
    private let others: DayFigures.Hour
    private var random: RandomSource
    private var timeline = Timeline<Event>(intervalSeconds: 0.01)
    private var servers: [Station]
    private var database: Station
    private var listeners: [Listener]
    private var inFlight: [Int]
    private var tokens: [TokenBucket]
    /// The times at which each push was committed.
    private var committedAt: [Double] = []
    private var waitingPushes: [Double] = []
    private var (isLocked, isRoundDue) = (false, false)
    private(set) var figures: HotSpaceFigures

    init(_ setting: Setting, on installation: Installation, beside others: DayFigures.Hour, random: RandomSource) {
        (self.setting, self.others, self.random) = (setting, others, random)
        let count = installation.servers
        servers = Array(repeating: Station(cores: installation.serverCores), count: count)
        database = Station(cores: installation.databaseCores)
        listeners = Array(repeating: Listener(), count: setting.listeners)
        inFlight = Array(repeating: 0, count: count)
        tokens = Array(repeating: TokenBucket(Limit.spaceRate), count: count)
        figures = HotSpaceFigures(setting: setting)
    }

    /// Simulates two minutes.
    mutating func run() {
        timeline.add(.pushArrives, at: 0)
        timeline.add(.otherArrives, at: 0)
        while let (time, event) = timeline.next(before: HotSpace.endSeconds) { take(event, at: time) }
        finish()
        figures.databaseShare = database.busySeconds / HotSpace.endSeconds / Double(database.cores)
    }

    /// Counts what is still waiting at the end, with the time for which it has waited.
    private mutating func finish() {
        figures.pushesDone = committedAt.count
        for listener in listeners where Int(listener.seen) < committedAt.count {
            figures.ages.add(HotSpace.endSeconds - committedAt[Int(listener.seen)])
        }
        for begun in waitingPushes { figures.pushWaits.add(HotSpace.endSeconds - begun) }
    }

    private mutating func take(_ event: Event, at time: Double) {
        switch event {
        case .pushArrives:
            timeline.add(.pushArrives, at: time + random.exponential(mean: 1 / setting.pushesPerSecond))
            figures.pushesBegun += 1
            push(pause: Float(Limit.retryPauseSeconds.first), at: time)
        case .pushAgain(let pause): push(pause: pause, at: time)
        case .lockIsFree:
            isLocked = false
            lock(at: time)
        case .round: tellListeners(at: time)
        case .notice(let listener), .pull(let listener): pull(listener, at: time)
        case .atDatabase(let listener, let arrival): read(listener, since: arrival, at: time)
        case .answer(let listener, let version): take(version, listener, at: time)
        case .otherArrives: otherArrives(at: time)
        case .otherAtDatabase(let request, let arrival, let server, let waited):
            let (start, end) = database.serve(at: time, seconds: random.exponential(mean: request.database))
            if arrival > HotSpace.recordedFrom { figures.otherWaits.add(waited + start - time) }
            timeline.add(.otherAnswered(server: server), at: end)
        case .otherAnswered(let server): inFlight[server] -= 1
        }
    }

    // MARK: Pushes

    private mutating func push(pause: Float, at time: Double) {
        let server = random.index(below: servers.count)
        let isRefused = setting.hasRates && !tokens[server].take(at: time)
        if isRefused || waitingPushes.count >= Limit.pushesWaiting * servers.count {
            figures.pushesRefused += 1
            let (next, later) = Backoff.pause(pause, atLeast: 1, &random)
            return timeline.add(.pushAgain(pause: later), at: time + next)
        }
        // The lock is asked for when the server has read the push.
        waitingPushes.append(servers[server].serve(at: time, seconds: random.exponential(mean: Cost.pushServer)).end)
        lock(at: time)
    }

    private mutating func lock(at time: Double) {
        guard !isLocked, let first = waitingPushes.first else { return }
        waitingPushes.removeFirst()
        isLocked = true
        let begin = max(time, first)
        let end = database.serve(at: time, seconds: random.exponential(mean: Cost.pushDatabase)).end
        committedAt.append(max(end, begin))
        if time > HotSpace.recordedFrom { figures.pushWaits.add(max(0, begin - first)) }
        timeline.add(.lockIsFree, at: max(end, begin) + Cost.lockPause)
        guard !isRoundDue else { return }
        isRoundDue = true
        timeline.add(.round, at: max(end, begin) + random.unit() * Limit.announcementSeconds)
    }

    private mutating func tellListeners(at time: Double) {
        isRoundDue = false
        for server in servers.indices {
            // One thread of a server writes all of its events, one after the other.
            var later = time
            for listener in stride(from: server, to: listeners.count, by: servers.count) {
                later += Cost.eventServer
                timeline.add(.notice(UInt32(listener)), at: later)
            }
            let sent = (later - time) / Double(servers[server].cores)
            for _ in 0..<servers[server].cores { _ = servers[server].serve(at: time, seconds: sent) }
        }
    }

    // MARK: Pulls

    private mutating func pull(_ index: UInt32, at time: Double) {
        let listener = listeners[Int(index)]
        guard !listener.isAsking, Int(listener.seen) < committedAt.count else { return }
        let server = Int(index) % servers.count
        figures.pullsBegun += 1
        let isOverRate = setting.hasRates && !tokens[server].take(at: time)
        if isOverRate || inFlight[server] >= Limit.inFlightPerServer {
            figures.pullsRefused += 1
            _ = servers[server].serve(at: time, seconds: Cost.refusalServer)
            let (next, later) = Backoff.pause(listener.pause, atLeast: 1, &random)
            listeners[Int(index)].pause = later
            listeners[Int(index)].isAsking = true
            // The number of a version that nobody has: the answer only ends the pause.
            return timeline.add(.answer(index, version: -1), at: time + next)
        }
        listeners[Int(index)].isAsking = true
        inFlight[server] += 1
        let end = servers[server].serve(at: time, seconds: random.exponential(mean: Cost.pullServer)).end
        timeline.add(.atDatabase(index, arrival: time), at: end)
    }

    private mutating func read(_ index: UInt32, since arrival: Double, at time: Double) {
        let version = Int32(committedAt.count)
        let end = database.serve(at: time, seconds: random.exponential(mean: Cost.pullDatabase)).end
        timeline.add(.answer(index, version: version), at: end)
    }

    private mutating func take(_ version: Int32, _ index: UInt32, at time: Double) {
        let place = Int(index)
        listeners[place].isAsking = false
        if version >= 0 {
            inFlight[place % servers.count] -= 1
            if time > HotSpace.recordedFrom { figures.ages.add(time - committedAt[Int(listeners[place].seen)]) }
            listeners[place].seen = version
            listeners[place].pause = Float(Limit.retryPauseSeconds.first)
        }
        pull(index, at: time)
    }

    // MARK: Others

    private mutating func otherArrives(at time: Double) {
        timeline.add(.otherArrives, at: time + random.exponential(mean: 1 / others.requestsPerSecond))
        var left = random.unit() * others.requestsPerSecond
        let request = Request.allCases.first { request in
            left -= others.perSecond(request)
            return left < 0
        }
        guard let request else { return }
        let server = random.index(below: servers.count)
        figures.othersBegun += 1
        if inFlight[server] >= Limit.inFlightPerServer {
            figures.othersRefused += 1
            return
        }
        inFlight[server] += 1
        let (start, end) = servers[server].serve(at: time, seconds: random.exponential(mean: request.server))
        timeline.add(
            .otherAtDatabase(request, arrival: time, server: server, waited: start - time), at: end)
    }
}
