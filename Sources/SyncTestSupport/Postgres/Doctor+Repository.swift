import DemoApps
package import PGMigrations
package import Postgres
import WireFormats

extension Doctor {
    /// Creates an examination by the migration files and the plans of this checkout.
    ///
    /// - Parameters:
    ///   - app: the only app of the database; `nil` for all apps. An examination runs all files of the apps.
    ///   - lines: the migration lines, where they are not the apps' own.
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
