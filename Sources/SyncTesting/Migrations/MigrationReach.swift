package import PGMigrations
import PGStore
import Postgres
package import WireFormats

/// A search for the migration files that make the tables of each version.
package enum MigrationReach {
    /// Returns, for each version, how many of the app's migration files create the tables of that version, counted from
    /// the first file. The result is indexed like the plan's `schemas`.
    ///
    /// A file need not change the tables, so several numbers may be right. Then the largest one is returned.
    ///
    /// - Throws: `AppTestFailure` if a version's tables are not created by any number of files; the error of a
    ///   migration.
    package static func files(_ plan: Plan, _ lines: [MigrationLine]) async throws -> [Int] {
        guard let line = lines.first(where: { $0.name == plan.app }), !line.files.isEmpty else {
            throw AppTestFailure("\(plan.app) has no migration files.")
        }
        var files: [Int?] = plan.schemas.map { _ in nil }
        var last: [Agreement.Difference] = []
        try await withTestDatabase { database in
            for count in 1...line.files.count {
                let migrator = Migrator(database.connectionString, lines: try lines.cut(plan.app, after: count))
                try await migrator.up(contracts: .run)
                let session = try await database.session()
                for version in plan.schemas.indices {
                    let found = try await differences(of: plan.cut(after: version).hub, session)
                    if found.isEmpty { files[version] = count }
                    if version == plan.newest { last = found }
                }
                await session.close()
            }
        }
        return try plan.schemas.indices.map { version in
            if let count = files[version] { return count }
            let number = plan.schemas[version].version
            if version == plan.newest {
                let list = last.map { "  - \($0)" }.joined(separator: "\n")
                throw AppTestFailure(
                    "The migrations do not make the tables that \(plan.app) \(number) needs:\n\(list)\n"
                        + "‘schema sql OLDER \(number) --write --app \(plan.app)’ drafts what is missing.")
            }
            throw AppTestFailure(
                "No migration of \(plan.app) ends where \(number) does. Give each version a file of its own: "
                    + "‘schema sql --write’ drafts them so.")
        }
    }

    private static func differences(of hub: Hub, _ session: isolated Session) throws -> [Agreement.Difference] {
        try Agreement.differences(of: hub, session)
    }
}
