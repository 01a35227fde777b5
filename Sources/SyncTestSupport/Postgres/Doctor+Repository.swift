import DemoApps
package import PGMigrations
package import Postgres
import WireFormats

extension Doctor {
    package static func ofRepository(
        _ database: ConnectionString, _ limits: DoctorLimits = DoctorLimits(), lines: [MigrationLine]? = nil,
        host: HostClock = HostClock()
    ) throws -> Doctor {
        let lines = try lines ?? Repository.migrations()
        return Doctor(
            Migrator(database, lines: lines), hubs: try DemoApps.all.map { try Plan($0).hub },
            servingRole: "syncserver_serving", limits: limits, host: host)
    }
}
