import Foundation
import PGMigrations
import PGStore
import SyncTestSupport
import SyncTesting
import Testing

/// Where a command finds the database that holds a password: the variable, a file, or a credential of systemd.
@Suite struct SecretTests {
    private func list(_ environment: [String: String]) async throws -> CommandRun {
        try await CommandRun(["token", "list"], environment: environment)
    }

    @Test func aFileAndACredentialNameTheDatabase() async throws {
        let folder = try TemporaryDirectory()
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: Repository.migrations()).up(contracts: .run)
            let path = "\(folder.path)/DATABASE_URL"
            try Data("\(database.connectionString.textRevealingSecrets)\n".utf8).write(to: URL(filePath: path))
            for environment in [["DATABASE_URL_FILE": path], ["CREDENTIALS_DIRECTORY": folder.path]] {
                let run = try await list(environment)
                #expect(run.status == 0 && !run.errors.contains("private"), "\(run.errors)")
            }
        }
    }

    @Test func whatIsNotClearIsRefused() async throws {
        let folder = try TemporaryDirectory()
        let empty = "\(folder.path)/empty"
        try Data("\n".utf8).write(to: URL(filePath: empty))
        let both = try await list([
            "DATABASE_URL_FILE": empty, "DATABASE_URL": "postgresql://nobody:hush@127.0.0.1:1/x",
        ])
        #expect(both.status == 2 && both.errors.contains("both set") && !both.errors.contains("hush"))
        let none = try await list(["DATABASE_URL_FILE": empty])
        #expect(none.status == 2 && none.errors.contains("\(empty) is empty"))
        let missing = try await list(["DATABASE_URL_FILE": "/nonexistent/url"])
        #expect(missing.status == 1 && missing.errors.contains("/nonexistent/url"))
    }
}
