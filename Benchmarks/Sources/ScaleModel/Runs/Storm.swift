import Foundation

/// The return of all devices after an outage. Each device sends a sync as soon as the service is back, and then opens
/// an event stream if its app is in the foreground.
struct Storm {
    /// The two protections of which each run has none, one or both.
    struct Protection {
        /// True if devices choose their pauses at random, as the client library does.
        var hasJitter: Bool
        /// True if servers refuse requests above `Limit.inFlightPerServer`.
        var hasLimits: Bool

        static let all = [
            Protection(hasJitter: false, hasLimits: false), Protection(hasJitter: false, hasLimits: true),
            Protection(hasJitter: true, hasLimits: false), Protection(hasJitter: true, hasLimits: true),
        ]

        var name: String {
            (hasJitter ? "random pauses" : "equal pauses") + (hasLimits ? ", servers refuse" : ", no limit")
        }
    }

    private enum Event {
        case attempt(UInt32)
        case notice(UInt32)
        case atDatabase(Visit)
        case answer(Visit)
        case giveUp(UInt32, attempt: UInt8)
    }

    private struct Visit {
        let device: UInt32
        let attempt: UInt8
        let request: Request
        let server: UInt16
        let arrival: Double
    }

    /// A device's part in the storm.
    private struct Device {
        var attempt: UInt8 = 0
        var isWaiting = false
        var (isSynced, isForeground, hasEdit, wantsStream) = (false, false, false, false)
        var pause = Float(Limit.retryPauseSeconds.first)
        var seen: UInt32 = 0
    }

    static let outageSeconds = 600.0
    /// The time after which a run is ended, in seconds after the service is back.
    static let longestSeconds = 3600.0
    /// Equal attempts reach the servers within this time, because networks differ.
    private static let networkSeconds = 0.2

    private let population: Population
    private let protection: Protection
    private let fault: PlantedFault?
    private let installation: Installation
    private var random: RandomSource
    private var timeline = Timeline<Event>(intervalSeconds: 0.05)
    private var servers: [Station]
    private var inFlight: [Int]
    private var databases: [Station]
    private var devices: [Device]
    private var heads: [UInt32]
    private(set) var figures: StormFigures

    init(
        _ population: Population, on installation: Installation, protection: Protection, random: RandomSource,
        fault: PlantedFault? = nil
    ) {
        (self.population, self.protection, self.installation) = (population, protection, installation)
        (self.random, self.fault) = (random, fault)
        let server = Station(cores: installation.serverCores, fault: fault)
        servers = Array(repeating: server, count: installation.servers)
        inFlight = Array(repeating: 0, count: installation.servers)
        databases = Array(
            repeating: Station(cores: installation.databaseCores, fault: fault), count: installation.databases)
        devices = Array(repeating: Device(), count: population.devicesCount)
        heads = Array(repeating: 0, count: population.spacesCount)
        figures = StormFigures(name: protection.name, devices: population.devicesCount)
    }

    /// Simulates the return, from the moment at which the service is back, until the last request is answered.
    mutating func run() {
        for device in devices.indices { prepare(device) }
        while let (time, event) = timeline.next(before: Storm.longestSeconds) {
            take(event, at: time)
        }
        figures.waiting = inFlight.reduce(0, +)
        figures.busySeconds = (
            servers.reduce(0) { $0 + $1.busySeconds }, databases.reduce(0) { $0 + $1.busySeconds }
        )
    }

    private mutating func take(_ event: Event, at time: Double) {
        switch event {
        case .attempt(let device):
            if !devices[Int(device)].isWaiting { attempt(Int(device), at: time) }
        case .notice(let device):
            let isBehind = devices[Int(device)].seen != heads[population.space(of: Int(device))]
            if isBehind, !devices[Int(device)].isWaiting { attempt(Int(device), at: time) }
        case .atDatabase(let visit): serve(visit, at: time)
        case .answer(let visit): end(visit, at: time)
        case .giveUp(let device, let number):
            guard devices[Int(device)].isWaiting, devices[Int(device)].attempt == number else { return }
            figures.givenUp += 1
            retry(Int(device), atLeast: 0, at: time)
        }
    }

    // MARK: Before the service is back

    /// Decides what a device wants, and finds its first attempt after the outage: its attempts during the outage fail
    /// at once.
    private mutating func prepare(_ device: Int) {
        devices[device].isForeground = random.unit() < Behaviour.peakOpenShare
        if devices[device].isForeground {
            let edits = Behaviour.editsPerOpening / Behaviour.openSeconds * Storm.outageSeconds
            devices[device].hasEdit = random.unit() < 1 - exp(-edits)
            devices[device].wantsStream = true
        }
        var time = -Storm.outageSeconds + random.unit() * (protection.hasJitter ? 1 : 0)
        while time < 0 { time += pause(of: device, atLeast: 0) }
        timeline.add(.attempt(UInt32(device)), at: time + random.unit() * Storm.networkSeconds)
    }

    private mutating func pause(of device: Int, atLeast least: Double) -> Double {
        let longest = devices[device].pause
        let (pause, next) =
            protection.hasJitter
            ? Backoff.pause(longest, atLeast: least, &random) : Backoff.equalPause(longest, atLeast: least)
        devices[device].pause = next
        return pause
    }

    private mutating func retry(_ device: Int, atLeast least: Double, at time: Double) {
        devices[device].isWaiting = false
        let next = time + pause(of: device, atLeast: least) + random.unit() * Storm.networkSeconds
        timeline.add(.attempt(UInt32(device)), at: next)
    }

    // MARK: Requests

    private mutating func attempt(_ device: Int, at time: Double) {
        figures.attempts += 1
        devices[device].attempt &+= 1
        let server = random.index(below: servers.count)
        if protection.hasLimits, inFlight[server] >= Limit.inFlightPerServer {
            figures.refused += 1
            _ = servers[server].serve(at: time, seconds: Cost.refusalServer)
            return retry(device, atLeast: Limit.overloadedPauseSeconds, at: time)
        }
        figures.admitted += 1
        devices[device].isWaiting = true
        inFlight[server] += 1
        let request = request(of: device)
        let visit = Visit(
            device: UInt32(device), attempt: devices[device].attempt, request: request, server: UInt16(server),
            arrival: time)
        let end = servers[server].serve(at: time, seconds: random.exponential(mean: request.server)).end
        giveUpIfLate(visit, knownAt: time, end: end)
        if fault == .lostRequest, figures.admitted % PlantedFault.lostOneIn == 0 {
            inFlight[server] -= 1
            return
        }
        timeline.add(.atDatabase(visit), at: end)
        figures.note(inFlight: figures.admitted - figures.answered, at: time)
    }

    private func request(of device: Int) -> Request {
        if devices[device].isSynced, devices[device].wantsStream { return .stream }
        if devices[device].hasEdit { return .push }
        return devices[device].seen == heads[population.space(of: device)] ? .poll : .pull
    }

    private mutating func serve(_ visit: Visit, at time: Double) {
        // No server has seen the token for ten minutes. The directory is the first database.
        let known = databases[0].serve(at: time, seconds: random.exponential(mean: AssumedCost.tokenDatabase)).end
        let database = installation.database(of: population.space(of: Int(visit.device)))
        let seconds = random.exponential(mean: visit.request.database)
        let end = max(known, databases[database].serve(at: time, seconds: seconds).end)
        giveUpIfLate(visit, knownAt: time, end: end)
        timeline.add(.answer(visit), at: end)
    }

    private mutating func giveUpIfLate(_ visit: Visit, knownAt time: Double, end: Double) {
        let patience = visit.arrival + Limit.clientPatienceSeconds
        if end > patience, time <= patience {
            timeline.add(.giveUp(visit.device, attempt: visit.attempt), at: patience)
        }
    }

    private mutating func end(_ visit: Visit, at time: Double) {
        let device = Int(visit.device)
        inFlight[Int(visit.server)] -= 1
        figures.answered += 1
        figures.note(inFlight: figures.admitted - figures.answered, at: time)
        let space = population.space(of: device)
        if visit.request == .push { notify(space, at: time) }
        guard devices[device].isWaiting, devices[device].attempt == visit.attempt else {
            figures.wasted += 1
            return
        }
        devices[device].isWaiting = false
        devices[device].pause = Float(Limit.retryPauseSeconds.first)
        if visit.request == .stream { devices[device].wantsStream = false } else { synced(device, visit, at: time) }
        if devices[device].wantsStream { timeline.add(.attempt(visit.device), at: time) }
    }

    private mutating func synced(_ device: Int, _ visit: Visit, at time: Double) {
        devices[device].seen = heads[population.space(of: device)]
        if visit.request == .push { devices[device].hasEdit = false }
        guard !devices[device].isSynced else { return }
        devices[device].isSynced = true
        figures.synced(at: time)
    }

    /// Tells the devices that listen already; the others learn of the change by their own sync.
    private mutating func notify(_ space: Int, at time: Double) {
        heads[space] += 1
        for device in population.devices(of: space) {
            let listens = devices[device].isForeground && devices[device].isSynced && !devices[device].wantsStream
            guard listens else { continue }
            timeline.add(.notice(UInt32(device)), at: time + random.unit() * Limit.announcementSeconds)
        }
    }
}
