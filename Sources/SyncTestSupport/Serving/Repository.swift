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
    package static func migrations() throws -> [MigrationLine] {
        try MigrationLine.readAll(directory: migrationsDirectory)
    }
}
