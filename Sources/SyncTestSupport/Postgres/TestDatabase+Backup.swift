import Foundation
import Postgres
import SyncTesting

extension TestDatabase {
    /// Writes a dump of the database to a file while the database is in use, as an operator does every night.
    package func dump(to file: String) throws {
        try TestDatabase.run("pg_dump", "--format=custom", "--file=\(file)", "--dbname=\(superuserText)")
    }

    /// Replaces the database by the dump in a file, while clients are connected. Their sessions end.
    package func restore(from file: String) async throws {
        let maintenance = try await Session.open(superuserConnectionString.with(database: "postgres"))
        let owner = "syncserver_owner"
        for sql in ["DROP DATABASE \"\(name)\" WITH (FORCE)", "CREATE DATABASE \"\(name)\" OWNER \(owner)"] {
            try await maintenance.execute(Command(Statement(unchecked: sql)))
        }
        await maintenance.close()
        try TestDatabase.run("pg_restore", "--exit-on-error", "--dbname=\(superuserText)", file)
    }

    private var superuserText: String { superuserConnectionString.textRevealingSecrets }

    private static func run(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BackupFailure(program: words[0]) }
    }

    /// An error of one of PostgreSQL's programs, which has printed the reason.
    private struct BackupFailure: Error {
        let program: String
    }
}
