import Foundation
package import PGMigrations

/// The checkout that the tests were built from.
package enum Repository {
    /// `Sources/SyncTestSupport/Serving/Repository.swift` is four levels below it.
    package static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .path

    /// The `Migrations` folder.
    package static let migrationsDirectory = root + "/Migrations"

    /// The lines that `syncserver serve` needs.
    package static func migrations() throws -> [MigrationLine] {
        try MigrationLine.readAll(directory: migrationsDirectory)
    }
}
