import HTTPServer
import Postgres

/// What so many devices need: a sum of what they do and what each of it was measured to cost.
struct Capacity: Sendable {
    /// What is known or supposed of the devices.
    struct Devices: Sendable {
        var count: Double
        /// How many edits each makes in a day.
        var editsADay: Double
        /// How many share a space: what one edits, the others pull.
        var inASpace = 2.0
        /// What part of the edits makes a record. The others change one.
        var creatingShare = 0.25
        /// How many records each has already.
        var records = 0.0
        /// How often each asks in a day and finds nothing: it wakes up, the app comes to the front.
        var pollsADay = 24.0
        /// What part of them listens at a time.
        var listeningShare = 0.2
        /// How many times the average the busiest hour of the day is.
        var peak = 5.0
    }

    /// What was measured, on two cores that server, PostgreSQL and the load generator shared: so each is rather too
    /// much. docs/performance.md has the tables.
    enum Cost {
        /// W2: 4,217 pushes of one edit a second.
        static let pushCoreSeconds = 2.0 / 4217
        /// W5: 1,830 times a second a push of 10 and a pull of what it was, of which a push of one is taken off.
        static let pullCoreSeconds = 2.0 / 1830 - 2.0 / 4217
        /// W4: 15,988 polls that find nothing.
        static let pollCoreSeconds = 2.0 / 15988
        /// A record of eight columns and 250 bytes of JSON, with its indexes.
        static let recordBytes = 530.0
        /// A push of one edit; right after a checkpoint, when whole pages are written, 2,800.
        static let pushLogBytes = 1100.0
        /// A device in a version, with the index.
        static let censusBytes = 300.0
        /// A server under load, without listeners.
        static let serverBytes = 80e6
        /// W10: 10,000 listeners took 10 MB; the kernel has about as much for a socket.
        static let listenerBytes = 5000.0
    }

    /// What a core is planned to work: beyond it, waits grow.
    static let coreShareMax = 0.5
    static let streamsMax = Double(HTTPServer.Limits().streamsMax)
    /// Sessions of one server: for requests; and for the channel between servers, its place among them, and what it
    /// opens for a moment.
    static let sessions = Double(PoolLimits().sessionsMax + 4)

    let devices: Devices

    private static let day = 86_400.0

    /// A second, over the whole day.
    var pushes: Double { devices.count * devices.editsADay / Capacity.day }
    /// Pulls that find what others have pushed.
    var pulls: Double { pushes * max(0, devices.inASpace - 1) }
    var polls: Double { devices.count * devices.pollsADay / Capacity.day }
    var requests: Double { pushes + pulls + polls }
    /// Cores for servers and PostgreSQL that are busy without a pause.
    var work: Double {
        pushes * Cost.pushCoreSeconds + pulls * Cost.pullCoreSeconds + polls * Cost.pollCoreSeconds
    }
    /// Cores to have, for the busiest hour.
    var cores: Double { work * devices.peak / Capacity.coreShareMax }
    var listeners: Double { devices.count * devices.listeningShare }
    /// Two at least: one may be away. Each is planned to keep two cores busy, PostgreSQL's share with it.
    var servers: Double {
        max(2, (listeners / Capacity.streamsMax).rounded(.up) + 1, (cores / 2).rounded(.up))
    }
    var connections: Double { servers * Capacity.sessions }
    var serverMemory: Double { Cost.serverBytes + listeners / max(1, servers - 1) * Cost.listenerBytes }
    var diskNow: Double { devices.count * (devices.records * Cost.recordBytes + Cost.censusBytes) }
    /// In a year, with records that are made and never deleted.
    var diskGrowth: Double { pushes * Capacity.day * 365 * devices.creatingShare * Cost.recordBytes }
    var logADay: Double { pushes * Capacity.day * Cost.pushLogBytes }
    /// For the rows that devices are at work on: those of the last ten days, and a twentieth of those that there are.
    /// 128 MB is PostgreSQL's own, and beyond 64 GB more is seldom better.
    var sharedBuffers: Double { min(max(0.05 * diskNow + diskGrowth * 10 / 365, 128e6), 64e9) }
}
