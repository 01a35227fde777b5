import Foundation
package import PGMigrations

/// The source checkout that the tests were built from.
package enum Repository {
    /// The root of the checkout, four levels above `Sources/SyncTestSupport/Serving/Repository.swift`.
    package static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .path

    /// The `Migrations` folder.
    package static let migrationsDirectory = root + "/Migrations"

    /// The migration lines that `syncserver serve` needs.
    ///
    /// - Parameter app: the only app whose line is returned, beside the server's own; `nil` for all apps.
    package static func migrations(of app: String? = nil) throws -> [MigrationLine] {
        try MigrationLine.readAll(directory: migrationsDirectory).filter { line in
            app == nil || [app, MigrationLine.serverLineName].contains(line.name)
        }
    }
}
