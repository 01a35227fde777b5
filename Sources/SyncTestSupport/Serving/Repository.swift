import Foundation
package import PGMigrations

/// The source folder from which the tests were built.
package enum Repository {
    /// The path of the source folder, found from the path of this file, which is four levels below.
    package static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .path

    /// The path of the folder of migration files.
    package static let migrationsDirectory = root + "/Migrations"

    /// Returns the migrations that `syncserver serve` needs: those of the server and those of the demo apps.
    ///
    /// - Parameter app: the only app whose line is returned, beside the server's own; `nil` for all apps.
    package static func migrations(of app: String? = nil) throws -> [MigrationLine] {
        guard let app else { return try MigrationLine.readAll(directory: migrationsDirectory) }
        return try MigrationLine.readAll(directory: migrationsDirectory, apps: [app])
    }
}
