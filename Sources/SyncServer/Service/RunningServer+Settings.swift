package import HTTPServer
package import Postgres
package import SyncEngine

extension RunningServer {
    /// What an operator decides about a server.
    package struct Settings: Sendable {
        /// Where it listens, and its limits.
        package var http: HTTPServer.Configuration
        /// A standby of the database, to read large pages from.
        package var standby: ConnectionString?
        /// How many sessions it has, and how long requests wait for one.
        package var pool: PoolLimits
        /// The limits of how much of a space a device may delete at a time.
        package var massDeletions: MassDeletions.Limits
        /// What is decided about requests, whatever they are about.
        package var policy: RequestPolicy
        /// Which program it is.
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

    /// Does all that goes on beside requests, until the task is cancelled. Once.
    ///
    /// - Parameter schedule: when it collects what is old; `nil` for never.
    package func keep(collectingOn schedule: CollectionSchedule?) async {
        await withTaskGroup { group in
            if let schedule { group.addTask { await collect(on: schedule) } }
            group.addTask { await keepPresent() }
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
