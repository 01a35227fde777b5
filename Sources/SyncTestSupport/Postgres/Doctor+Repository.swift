import DemoApps
package import PGMigrations
package import Postgres
import WireFormats

extension Doctor {
    /// Makes a `Doctor`, which compares a database with migration files and app plans. Those of this checkout are used.
    ///
    /// - Parameters:
    ///   - app: the only app whose migrations and plan are used; `nil` for all apps.
    ///   - lines: the migrations to use; `nil` for those of the checkout.
    package static func ofRepository(
        _ database: ConnectionString, _ limits: DoctorLimits = DoctorLimits(), app: String? = nil,
        lines: [MigrationLine]? = nil, host: HostClock = HostClock()
    ) throws -> Doctor {
        let lines = try lines ?? Repository.migrations(of: app)
        let plans = DemoApps.all.filter { app == nil || app == $0.app }
        return Doctor(
            Migrator(database, lines: lines), hubs: try plans.map { try Plan($0).hub },
            servingRole: "syncserver_serving", limits: limits, host: host)
    }
}
