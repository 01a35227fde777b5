import Foundation
import Glibc
import PGMigrations
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// Tests of the sources of a database URL with a password: the variable, a file, a credential of systemd.
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
        #expect(both.status == 2 && both.errors.contains("both say something") && !both.errors.contains("hush"))
        let none = try await list(["DATABASE_URL_FILE": empty])
        #expect(none.status == 2 && none.errors.contains("\(empty) is empty"))
        let missing = try await list(["DATABASE_URL_FILE": "/nonexistent/url"])
        #expect(missing.status == 1 && missing.errors.contains("/nonexistent/url"))
    }

    /// Text that libpq does not understand may be a password, and libpq prints it.
    @Test(arguments: [
        "mysql://u:geheim@h/d", "u:geheim@h/d", "postgresql://u:geheim%zz@h/d", "postgresql://u:a/geheim@h/d",
        "password=x geheim", "host=h port=geheim", "postgresql://u:geheim@h/d\npostgresql://u:geheim@h/d",
        "\u{FEFF}postgresql://u:geheim@h/d", "postgresql://h:geheim/d", "host=h geheim=1",
    ])
    func noPartOfItIsPrinted(text: String) async throws {
        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/url"
        try Data(text.utf8).write(to: URL(filePath: path))
        for run in [
            try await list(["DATABASE_URL_FILE": path]), try await list(["DATABASE_URL": text]),
            try await CommandRun(["token", "list", "--database", text]),
            try await CommandRun(["serve", "--port", "0", "--database", text]),
            try await CommandRun(
                ["serve", "--port", "0"], environment: ["DATABASE_URL": "host=h", "STANDBY_URL": text]),
        ] {
            #expect(run.status != 0 && !run.errors.contains("geheim") && !run.output.contains("geheim"), "\(run)")
        }
    }

    /// One that never begins would keep the process from being ended.
    @Test func onlyAFileIsRead() async throws {
        let folder = try TemporaryDirectory()
        let fifo = "\(folder.path)/fifo"
        try #require(mkfifo(fifo, 0o600) == 0)
        for run in [
            try await list(["DATABASE_URL_FILE": fifo]), try await CommandRun(["serve", "--config", fifo]),
            try await CommandRun(["serve", "--limits", fifo]),
            try await CommandRun(["serve", "--config", "/dev/zero"]),
        ] {
            #expect(run.status == 1 && run.errors.contains("not a regular file"), "\(run.errors)")
        }
    }

    @Test func blanksAroundItAreNone() async throws {
        let folder = try TemporaryDirectory()
        let path = "\(folder.path)/url"
        try await withTestDatabase { database in
            try await Migrator(database.connectionString, lines: Repository.migrations()).up(contracts: .run)
            let text = " \(database.connectionString.textRevealingSecrets) \r\n\n"
            try Data(text.utf8).write(to: URL(filePath: path))
            let run = try await list(["DATABASE_URL_FILE": path])
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try await list(["DATABASE_URL_FILE": ""]).status == 2)
    }
}
