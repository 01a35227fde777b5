package import HTTPServer
package import Postgres
package import SyncEngine

extension RunningServer {
    /// The operator's settings of a server.
    package struct Settings: Sendable {
        /// The address to listen on, and the limits of HTTP.
        package var http: HTTPServer.Configuration
        /// A standby of the database for reading large pages.
        package var standby: ConnectionString?
        /// The number of database sessions, and the time that requests wait for one.
        package var pool: PoolLimits
        /// The limits on the share of a space that a device may delete at a time.
        package var massDeletions: MassDeletions.Limits
        /// The settings for requests of all kinds.
        package var policy: RequestPolicy
        /// The version and commit of the program.
        package var build: BuildFacts

        package init(
            http: HTTPServer.Configuration = HTTPServer.Configuration(), standby: ConnectionString? = nil,
            pool: PoolLimits = PoolLimits(), massDeletions: MassDeletions.Limits = MassDeletions.Limits(),
            policy: RequestPolicy = RequestPolicy(), build: BuildFacts = BuildFacts()
        ) {
            (self.http, self.standby, self.pool) = (http, standby, pool)
            (self.massDeletions, self.policy, self.build) = (massDeletions, policy, build)
        }
    }

    /// Runs all background work until the task is cancelled. Call this only once.
    ///
    /// - Parameter schedule: the schedule for collecting old data; `nil` for no collection.
    package func keep(collectingOn schedule: CollectionSchedule?) async {
        await withTaskGroup { group in
            if let schedule { group.addTask { await collect(on: schedule) } }
            group.addTask { await keepPresent() }
            group.addTask { await keepPresentEverywhere() }
            group.addTask { await keepDatabases() }
            group.addTask { await keepCensus() }
            group.addTask { await keepTokenUses() }
            group.addTask { await keepVersions() }
            group.addTask { await keepEpoch() }
            group.addTask { await keepIssuerKeys() }
            group.addTask { await keepClock() }
            group.addTask { await keepEvents() }
        }
    }
}
