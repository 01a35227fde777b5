/// A day of all devices: people open the app, edit and close it, and devices wake in the background.
struct UsualDay {
    /// The numbers of requests that must add up at the end.
    struct Balance {
        var (begun, answered) = (0, 0)
        var isKept: Bool { begun == answered }
    }

    private enum Event {
        /// A second begins.
        case tick
        case opening(UInt32)
        case closing(UInt32)
        case waking(UInt32)
        case edit(UInt32)
        /// An event stream says that the space has changed.
        case notice(UInt32)
        /// A push of the device is committed.
        case committed(UInt32)
        /// A time slice of the servers' own work in a database: reviews and announcements.
        case work(database: UInt32)
    }

    private struct Device {
        /// The number of the latest change of the space that the device has seen.
        var seen: UInt32 = 0
        var isOpen = false
        /// The times at which its token was looked up last, and at which its use was noted last.
        var lookedUpAt: Float = -.infinity
        var notedAt: Float = -.infinity
    }

    /// The hours of the day, from midnight on, and last the time that is not recorded.
    private var hours = [DayFigures.Hour](repeating: DayFigures.Hour(), count: 25)
    private(set) var balance = Balance()
    private let population: Population
    private let installation: Installation
    private let fault: PlantedFault?
    private var random: RandomSource
    private var timeline = Timeline<Event>(intervalSeconds: 0.05)
    private var servers: [Station]
    private var databases: [Station]
    private var heads: [UInt32]
    private var devices: [Device]
    private var openCount = 0
    private var pushesLastSecond = 0

    /// The day begins at two in the morning, and is recorded from four on, when the spaces and queues are as usual.
    private static let beginSecond = 2 * 3600.0
    private static let recordedFrom = 4 * 3600.0
    private static let endSecond = 28 * 3600.0

    init(
        _ population: Population, on installation: Installation, random: RandomSource, fault: PlantedFault? = nil
    ) {
        (self.population, self.installation) = (population, installation)
        (self.random, self.fault) = (random, fault)
        let server = Station(cores: installation.serverCores, fault: fault)
        servers = Array(repeating: server, count: installation.servers)
        databases = Array(
            repeating: Station(cores: installation.databaseCores, fault: fault), count: installation.databases)
        heads = Array(repeating: 0, count: population.spacesCount)
        devices = Array(repeating: Device(), count: population.devicesCount)
    }

    /// Simulates the day until its last request is answered.
    mutating func run() -> DayFigures {
        timeline.add(.tick, at: UsualDay.beginSecond)
        while let (time, event) = timeline.next(before: .infinity) { take(event, at: time) }
        return DayFigures(devices: population.devicesCount, hours: hours.dropLast().map(averaged))
    }

    private mutating func take(_ event: Event, at time: Double) {
        switch event {
        case .tick: tick(at: time)
        case .opening(let device): open(device, at: time)
        case .closing(let device):
            devices[Int(device)].isOpen = false
            openCount -= 1
        case .waking(let device):
            if !devices[Int(device)].isOpen { read(device, at: time) }
        case .edit(let device): begin(.push, of: device, at: time)
        case .notice(let device):
            if devices[Int(device)].isOpen, isBehind(device) { begin(.pull, of: device, at: time) }
        case .committed(let device): notify(of: Int(device), at: time)
        case .work(let database): _ = serve(in: Int(database), seconds: UsualDay.sliceSeconds, at: time)
        }
    }

    // MARK: Devices

    private mutating func tick(at time: Double) {
        guard time < UsualDay.endSecond else { return }
        timeline.add(.tick, at: time + 1)
        let devices = Double(population.devicesCount)
        let openings = devices * Behaviour.openingsPerDay / Behaviour.daySeconds * Behaviour.activity(at: time)
        for _ in 0..<random.poisson(mean: openings) { timeline.add(.opening(someDevice()), at: time + random.unit()) }
        for _ in 0..<random.poisson(mean: devices * Behaviour.wakesPerDay / Behaviour.daySeconds) {
            timeline.add(.waking(someDevice()), at: time + random.unit())
        }
        review(at: time)
        announce(at: time)
        hours[slot(time)].streams += Double(openCount)
    }

    private mutating func someDevice() -> UInt32 { UInt32(random.index(below: population.devicesCount)) }

    private mutating func open(_ device: UInt32, at time: Double) {
        if devices[Int(device)].isOpen { return }
        devices[Int(device)].isOpen = true
        openCount += 1
        let seconds = random.exponential(mean: Behaviour.openSeconds)
        timeline.add(.closing(device), at: time + seconds)
        begin(.stream, of: device, at: time)
        read(device, at: time)
        // A longer stay has more edits.
        let edits = Behaviour.editsPerOpening * seconds / Behaviour.openSeconds
        for _ in 0..<random.poisson(mean: edits) { timeline.add(.edit(device), at: time + random.unit() * seconds) }
    }

    private mutating func read(_ device: UInt32, at time: Double) {
        begin(isBehind(device) ? .pull : .poll, of: device, at: time)
    }

    private func isBehind(_ device: UInt32) -> Bool {
        devices[Int(device)].seen != heads[population.space(of: Int(device))]
    }

    // MARK: Requests

    /// Sends a request through its server and its database, which take requests in the order of their arrival at the
    /// servers.
    private mutating func begin(_ request: Request, of device: UInt32, at time: Double) {
        balance.begun += 1
        let slot = slot(time)
        hours[slot].requests[request.rawValue] += 1
        let (asked, known) = lookUpToken(of: Int(device), at: time)
        let seconds = random.exponential(mean: request.server)
        let visit = servers[Int(device) % servers.count].serve(at: time, seconds: seconds)
        hours[slot].serverCores += seconds
        if fault == .lostRequest, balance.begun % PlantedFault.lostOneIn == 0 { return }
        let arrival = max(known, visit.end)
        let space = population.space(of: Int(device))
        let (start, end) = serve(
            in: installation.database(of: space), seconds: random.exponential(mean: request.database), at: arrival)
        balance.answered += 1
        hours[slot].waits.add(asked + visit.start - time + start - arrival)
        if request == .push { timeline.add(.committed(device), at: end) }
        if request == .pull { devices[Int(device)].seen = heads[space] }
    }

    /// Looks up the token if its last look-up is too old. Returns the time for which the look-up waited, and the time
    /// at which the token is known.
    private mutating func lookUpToken(of device: Int, at time: Double) -> (waited: Double, known: Double) {
        if Float(time) - devices[device].lookedUpAt < Float(Limit.tokenRememberedSeconds) { return (0, time) }
        devices[device].lookedUpAt = Float(time)
        var seconds = AssumedCost.tokenDatabase
        if Float(time) - devices[device].notedAt > UsualDay.notedEverySeconds {
            devices[device].notedAt = Float(time)
            seconds += AssumedCost.tokenUseDatabase
        }
        hours[slot(time)].tokenLookUps += 1
        let (start, end) = serve(in: 0, seconds: seconds, at: time)
        return (start - time, end)
    }

    /// Tells the devices of a space that listen of a push. The pushing device has the change already.
    private mutating func notify(of pushing: Int, at time: Double) {
        let space = population.space(of: pushing)
        heads[space] += 1
        pushesLastSecond += 1
        // A device that lacked an earlier change still lacks it.
        if devices[pushing].seen == heads[space] - 1 { devices[pushing].seen = heads[space] }
        for device in population.devices(of: space) where devices[device].isOpen {
            hours[slot(time)].serverCores += Cost.eventServer
            if device == pushing { continue }
            timeline.add(.notice(UInt32(device)), at: time + random.unit() * Limit.announcementSeconds)
        }
    }

    // MARK: The servers' own work

    /// A time slice of the kernel, in seconds: a long statement does not keep a core while others wait.
    private static let sliceSeconds = 0.001
    /// The time after which the use of a token is noted again, in seconds.
    private static let notedEverySeconds: Float = 3600

    /// Lets the servers whose turn it is review their streams: the token of each, and the head of its space.
    private mutating func review(at time: Double) {
        let streams = Double(openCount) / Double(servers.count)
        let due = servers.indices.count { ($0 + Int(time)) % Int(Limit.reviewSeconds) == 0 }
        for _ in 0..<due {
            // First the heads in each database, and then the tokens in the directory.
            var begin = time + random.unit()
            for database in databases.indices {
                let seconds = streams / Double(databases.count) * AssumedCost.reviewedHeadDatabase
                work(in: database, seconds: seconds, at: begin)
                begin += seconds
            }
            work(in: 0, seconds: streams * AssumedCost.tokenDatabase, at: begin)
        }
        hours[slot(time)].serverCores += Double(openCount) * Cost.streamServerPerSecond
    }

    /// Passes the announcements of each server to each server, through the directory.
    private mutating func announce(at time: Double) {
        let rounds = min(1 / Limit.announcementSeconds, Double(pushesLastSecond) / Double(servers.count))
        pushesLastSecond = 0
        let seconds = rounds * Double(servers.count * servers.count) * AssumedCost.announcedDatabase
        for _ in 0..<random.poisson(mean: seconds / UsualDay.sliceSeconds) {
            timeline.add(.work(database: 0), at: time + random.unit())
        }
    }

    /// Adds the work of one session, slice by slice.
    private mutating func work(in database: Int, seconds: Double, at time: Double) {
        for slice in 0..<random.poisson(mean: seconds / UsualDay.sliceSeconds) {
            timeline.add(.work(database: UInt32(database)), at: time + Double(slice) * UsualDay.sliceSeconds)
        }
    }

    private mutating func serve(in database: Int, seconds: Double, at time: Double) -> (start: Double, end: Double) {
        let slot = slot(time)
        hours[slot].databaseCores += seconds
        if database == 0 { hours[slot].directoryCores += seconds }
        return databases[database].serve(at: time, seconds: seconds)
    }

    // MARK: Figures

    /// The place of the figures of a time: an hour of the day, or the last place before and after the recorded day.
    private func slot(_ time: Double) -> Int {
        time >= UsualDay.recordedFrom && time < UsualDay.endSecond ? Int(time / 3600) % 24 : 24
    }

    private func averaged(_ hour: DayFigures.Hour) -> DayFigures.Hour {
        var hour = hour
        hour.serverCores /= 3600
        hour.directoryCores /= 3600
        hour.databaseCores /= 3600
        hour.streams /= 3600
        return hour
    }
}
