import Postgres

/// An estimate of the resources for a number of devices: the sum of their operations, each times its measured cost.
package struct Capacity: Sendable {
    /// The known or assumed number of devices and their behaviour.
    package struct Devices: Sendable {
        package var count: Double
        /// The edits that each device makes in a day.
        package var editsADay: Double
        /// The number of devices that share a space: the edits of one are pulled by the others.
        package var inASpace = 2.0
        /// The share of edits that create a record, from 0 to 1. The others change one.
        package var creatingShare = 0.25
        /// The number of records that each device has already.
        package var records = 0.0
        /// The number of times a day that each device polls and finds nothing: it wakes up, or the app comes to the
        /// front.
        package var pollsADay = 24.0
        /// The share of devices that listen at a time, from 0 to 1.
        package var listeningShare = 0.2
        /// The load of the busiest hour of the day, as a multiple of the average load.
        package var peak = 5.0

        package init(count: Double, editsADay: Double) {
            (self.count, self.editsADay) = (count, editsADay)
        }
    }

    /// The measured costs of operations. Server, PostgreSQL and the load generator shared two cores, so each value is
    /// rather too high. docs/performance.md has the tables.
    enum Cost {
        /// The time of a core for a push, in seconds. W2: 4,217 pushes of one edit a second.
        static let pushCoreSeconds = 2.0 / 4217
        /// The time of a core for a pull, in seconds. W5: 1,830 times a second, a push of 10 edits and a pull of them,
        /// minus the cost of a push of one.
        static let pullCoreSeconds = 2.0 / 1830 - 2.0 / 4217
        /// The time of a core for a poll that finds nothing, in seconds. W4: 15,988 polls a second.
        static let pollCoreSeconds = 2.0 / 15988
        /// The size of a record with eight columns and 250 bytes of JSON, with its indexes.
        static let recordBytes = 530.0
        /// The write-ahead log of a push of one edit; 2,800 bytes right after a checkpoint, when whole pages are
        /// written.
        static let pushLogBytes = 1100.0
        /// The census row of a device in a version, with the index.
        static let censusBytes = 300.0
        /// The memory of a server under load, without listeners.
        static let serverBytes = 80e6
        /// The memory of a listener. W10: 10,000 listeners took 10 MB; the kernel has about as much for a socket.
        static let listenerBytes = 5000.0
    }

    /// The planned load of a core, from 0 to 1: above it, waiting times grow.
    static let coreShareMax = 0.5
    /// The database sessions of one server: the pool's for requests, and four for the channel between servers, the
    /// server's registration, and sessions that are opened for a moment.
    static let sessions = Double(PoolLimits().sessionsMax + 4)

    package let devices: Devices
    /// The largest number of listeners of one server.
    private let streamsMax: Int

    /// - Parameter streamsMax: the largest number of listeners of one server.
    package init(devices: Devices, streamsMax: Int) {
        (self.devices, self.streamsMax) = (devices, streamsMax)
    }

    private static let day = 86_400.0

    /// Pushes per second, averaged over the day.
    package var pushes: Double { devices.count * devices.editsADay / Capacity.day }
    /// Pulls per second that find what others have pushed, averaged over the day.
    package var pulls: Double { pushes * max(0, devices.inASpace - 1) }
    package var polls: Double { devices.count * devices.pollsADay / Capacity.day }
    package var requests: Double { pushes + pulls + polls }
    /// The average number of busy cores, for servers and PostgreSQL together.
    package var work: Double {
        pushes * Cost.pushCoreSeconds + pulls * Cost.pullCoreSeconds + polls * Cost.pollCoreSeconds
    }
    /// The number of cores to provide, for the busiest hour.
    package var cores: Double { work * devices.peak / Capacity.coreShareMax }
    package var listeners: Double { devices.count * devices.listeningShare }
    /// The number of servers: two at least, because one may be down. Each is planned to keep two cores busy,
    /// PostgreSQL's share included.
    package var servers: Double {
        max(2, (listeners / Double(streamsMax)).rounded(.up) + 1, (cores / 2).rounded(.up))
    }
    package var connections: Double { servers * Capacity.sessions }
    package var serverMemory: Double { Cost.serverBytes + listeners / max(1, servers - 1) * Cost.listenerBytes }
    package var diskNow: Double { devices.count * (devices.records * Cost.recordBytes + Cost.censusBytes) }
    /// The growth of the disk space in a year, in bytes, if records are created and never deleted.
    package var diskGrowth: Double { pushes * Capacity.day * 365 * devices.creatingShare * Cost.recordBytes }
    package var logADay: Double { pushes * Capacity.day * Cost.pushLogBytes }
    /// The size of PostgreSQL's shared buffers, in bytes: enough for the active rows, which are those of the last ten
    /// days and a twentieth of the existing ones. 128 MB is PostgreSQL's default, and more than 64 GB is seldom better.
    package var sharedBuffers: Double { min(max(0.05 * diskNow + diskGrowth * 10 / 365, 128e6), 64e9) }
}
