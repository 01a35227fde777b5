/// The machines that a number of devices needs, computed from the busiest hour of a simulated day, and the parts that
/// reach their limits.
struct Growth {
    /// A part that has a limit, and the share of this limit that is needed: more than 1 is too much.
    struct Pressure {
        let part: Part
        let share: Double
    }

    /// The parts, in the order of the table.
    enum Part: String, CaseIterable {
        case cores = "one database: cores"
        case disk = "one database: disk"
        case log = "one database: log"
        case sessions = "each database: sessions"
        case tokens = "directory: cores for tokens"
        case announcing = "directory: cores to announce"
        case network = "directory: network"
        case buckets = "buckets"
        case move = "move of a bucket: pause"
    }

    let devices: Double
    /// The busy cores of the servers, and of the databases for requests, in the busiest hour.
    let serverCores: Double
    let databaseCores: Double
    let streams: Double
    let pushesPerSecond: Double
    let tokensPerSecond: Double
    let requestsPerSecond: Double

    static let steps = [1e4, 1e5, 1e6, 1e7, 1e8]

    init(devices: Double, like day: DayFigures) {
        let hour = day.busiest
        let scale = devices / Double(day.devices)
        self.devices = devices
        streams = hour.streams * scale
        serverCores = hour.serverCores * scale
        databaseCores = scale * Request.allCases.reduce(0) { $0 + hour.perSecond($1) * $1.database }
        pushesPerSecond = hour.perSecond(.push) * scale
        requestsPerSecond = hour.requestsPerSecond * scale
        // Each stream's token is looked up in each review, too.
        tokensPerSecond = Double(hour.tokenLookUps) / 3600 * scale + streams / Limit.reviewSeconds
    }

    // MARK: Machines

    var servers: Double {
        let forStreams = (streams / Double(Limit.streamsPerServer)).rounded(.up) + 1
        let forCores = (serverCores / PlannedMachine.coreShareMax / PlannedMachine.serverCores).rounded(.up)
        return max(2, forStreams, forCores)
    }

    var databases: Double { max(1, share(of: .cores).rounded(.up), share(of: .disk).rounded(.up)) }

    /// The records of a year and their indexes, in bytes.
    var diskBytes: Double {
        devices * Behaviour.editsPerDay * Behaviour.creatingShare * PlannedMachine.days * Cost.recordBytes
    }

    /// The write-ahead log of all databases in a day, in bytes.
    var logBytesPerDay: Double { devices * Behaviour.editsPerDay * Cost.pushLogBytes }

    // MARK: The directory

    /// The cores of the directory for the look-ups of tokens, and for noting hourly that they are used.
    var tokenCores: Double {
        tokensPerSecond * AssumedCost.tokenDatabase + devices / 3600 * AssumedCost.tokenUseDatabase
    }

    /// The payloads that all servers announce in a second.
    var announcementsPerSecond: Double {
        let perServer = pushesPerSecond / servers
        let rounds = min(1 / Limit.announcementSeconds, perServer)
        let spacesPerPayload = 7_900 / Limit.announcedSpaceBytes
        return servers * max(rounds, perServer / spacesPerPayload)
    }

    /// The cores of the directory for passing each announcement to each server.
    var announcingCores: Double { announcementsPerSecond * servers * AssumedCost.announcedDatabase }

    /// The announcements that the directory sends to all servers together, in bytes per second.
    var announcedBytesPerSecond: Double { pushesPerSecond * Limit.announcedSpaceBytes * servers }

    // MARK: Moves

    var bucketBytes: Double { diskBytes / Limit.buckets }

    /// The time for which one core of PostgreSQL digests the rows of a bucket, to compare them, in seconds.
    var compareSeconds: Double { bucketBytes / Cost.recordBytes * Cost.digestRowDatabase }

    /// The time for copying a bucket at the rate of W1's pushes, in seconds.
    var copySeconds: Double { bucketBytes / Cost.recordBytes / Cost.pushedRecordsPerSecond }

    // MARK: Limits

    var pressures: [Pressure] { Part.allCases.map { Pressure(part: $0, share: share(of: $0)) } }

    func share(of part: Part) -> Double {
        let coresMax = PlannedMachine.databaseCores * PlannedMachine.coreShareMax
        return switch part {
        case .cores: databaseCores / coresMax
        case .disk: diskBytes / PlannedMachine.diskBytes
        case .log: pushesPerSecond * Cost.pushLogBytes / PlannedMachine.logBytesPerSecond
        case .sessions: servers * Limit.sessionsPerServer / PlannedMachine.sessions
        case .tokens: tokenCores / coresMax
        case .announcing: announcingCores / coresMax
        case .network: announcedBytesPerSecond / PlannedMachine.networkBytesPerSecond
        case .buckets: databases / Limit.buckets
        case .move: compareSeconds / Limit.movePauseSeconds
        }
    }
}
