import Postgres

/// An estimate of the cores, memory and disk space that a given number of devices needs. For each kind of operation,
/// its rate is multiplied by its measured cost; the estimate is the sum.
package struct Capacity: Sendable {
    /// The devices for which the estimate is made: their number, known or assumed, and their behaviour.
    package struct Devices: Sendable {
        package var count: Double
        /// The number of edits that each device makes in a day.
        package var editsADay: Double
        /// The number of devices that share a space. Each edit of one device is pulled by all others of its space.
        package var inASpace = 2.0
        /// The share of edits that create a record, from 0 to 1. The other edits change a record.
        package var creatingShare = 0.25
        /// The number of records that each device has already.
        package var records = 0.0
        /// The number of polls of each device in a day that return no changes. A device polls when it wakes up or the
        /// app comes to the foreground.
        package var pollsADay = 24.0
        /// The share of devices that have an open event stream at any time, from 0 to 1.
        package var listeningShare = 0.2
        /// The load of the busiest hour of the day, as a multiple of the average load.
        package var peak = 5.0

        package init(count: Double, editsADay: Double) {
            (self.count, self.editsADay) = (count, editsADay)
        }
    }

    /// The measured cost of each operation. The server, PostgreSQL and the load generator shared two cores, so each
    /// value is somewhat higher than in production. W2 to W10 are the workloads in the tables of docs/performance.md.
    enum Cost {
        /// The time for which one core is busy with a push, in seconds. Workload W2: two cores ran 4,217 pushes of one
        /// edit in a second.
        static let pushCoreSeconds = 2.0 / 4217
        /// The time for which one core is busy with a pull, in seconds. In workload W5, two cores ran 1,830 pairs of a
        /// push and a pull in a second. The time that a push takes in workload W2 is subtracted.
        static let pullCoreSeconds = 2.0 / 1830 - 2.0 / 4217
        /// The time for which one core is busy with a poll that returns no changes, in seconds. Workload W4: two cores
        /// ran 15,988 polls in a second.
        static let pollCoreSeconds = 2.0 / 15988
        /// The disk space of a record with eight columns and 250 bytes of JSON, with its indexes, in bytes.
        static let recordBytes = 530.0
        /// The write-ahead log of a push of one edit, in bytes. Right after a checkpoint it is 2,800 bytes, because
        /// PostgreSQL then writes whole pages.
        static let pushLogBytes = 1100.0
        /// The disk space of a device's row in the census (the table of the versions in use), with its index entry, in
        /// bytes.
        static let censusBytes = 300.0
        /// The memory of a server under load without event streams, in bytes.
        static let serverBytes = 80e6
        /// The memory of an open event stream, in bytes. Workload W10: 10,000 streams took 10 MB in the server. The
        /// kernel takes about as much for their sockets.
        static let listenerBytes = 5000.0
    }

    /// The planned load of a core, from 0 to 1. Above it, requests wait noticeably longer.
    static let coreShareMax = 0.5
    /// The number of database sessions of one server: those of the pool for requests, and four more for the
    /// notifications between servers, for the server's registration, and for tasks that need a session only briefly.
    static let sessions = Double(PoolLimits().sessionsMax + 4)

    package let devices: Devices
    /// The largest number of event streams of one server.
    private let streamsMax: Int

    /// - Parameter streamsMax: the largest number of event streams of one server.
    package init(devices: Devices, streamsMax: Int) {
        (self.devices, self.streamsMax) = (devices, streamsMax)
    }

    private static let day = 86_400.0

    /// The number of pushes per second, averaged over the day.
    package var pushes: Double { devices.count * devices.editsADay / Capacity.day }
    /// The number of pulls per second that return changes of other devices, averaged over the day.
    package var pulls: Double { pushes * max(0, devices.inASpace - 1) }
    package var polls: Double { devices.count * devices.pollsADay / Capacity.day }
    package var requests: Double { pushes + pulls + polls }
    /// The average number of busy cores, for servers and PostgreSQL together.
    package var work: Double {
        pushes * Cost.pushCoreSeconds + pulls * Cost.pullCoreSeconds + polls * Cost.pollCoreSeconds
    }
    /// The number of cores to provide, so that the load of the busiest hour stays below `coreShareMax`.
    package var cores: Double { work * devices.peak / Capacity.coreShareMax }
    package var listeners: Double { devices.count * devices.listeningShare }
    /// The number of servers: at least two, and at least one for every two cores, including those that PostgreSQL
    /// needs. The servers can hold all event streams even if one server is down.
    package var servers: Double {
        max(2, (listeners / Double(streamsMax)).rounded(.up) + 1, (cores / 2).rounded(.up))
    }
    package var connections: Double { servers * Capacity.sessions }
    package var serverMemory: Double { Cost.serverBytes + listeners / max(1, servers - 1) * Cost.listenerBytes }
    package var diskNow: Double { devices.count * (devices.records * Cost.recordBytes + Cost.censusBytes) }
    /// The growth in a year of the disk space in use, in bytes, if records are created and never deleted.
    package var diskGrowth: Double { pushes * Capacity.day * 365 * devices.creatingShare * Cost.recordBytes }
    package var logADay: Double { pushes * Capacity.day * Cost.pushLogBytes }
    /// The recommended size of PostgreSQL's shared buffers, in bytes, so that all active rows fit. The rows that are
    /// written in ten days and a twentieth of the existing rows are assumed to be active. The size is at least 128 MB,
    /// PostgreSQL's default. It is at most 64 GB, because more seldom helps.
    package var sharedBuffers: Double { min(max(0.05 * diskNow + diskGrowth * 10 / 365, 128e6), 64e9) }
}
