import Foundation
import Postgres
import SyncTestSupport
import SyncTesting
import Testing

/// Tests of an operator's mistakes, and of the command's answer to each.
@Suite struct MistypedTests {
    /// An empty file would be taken for an empty space.
    @Test(arguments: [["export"], ["member", "list"], ["quota", "show"]])
    func aSpaceThatIsNotThereIsSaid(words: [String]) async throws {
        try await withTestServer { server in
            func run(_ space: String) async throws -> CommandRun {
                try await CommandRun(
                    words + ["--app", "fitiq", "--space", space], database: server.database.connectionString)
            }
            let wrong = try await run("28db6081-7a48-4ade-b851-25966840b0b0")
            #expect(wrong.status == 1 && wrong.output.isEmpty, "\(wrong)")
            #expect(wrong.errors.contains("There is no space 28db6081-7a48-4ade-b851-25966840b0b0 of fitiq"))
            // One that was made, and into which nothing was pushed yet, is there.
            let made = try await Person("anna", server).makeSpace()
            #expect(try await run("\(made)").status == 0)
        }
    }

    @Test func aNewEpochIsAskedFor() async throws {
        try await withTestServer { server in
            let database = server.database.connectionString
            let before = try await CommandRun(["epoch"], database: database).output
            let asked = try await CommandRun(["epoch", "--renew"], database: database)
            #expect(asked.status == 1 && asked.errors.contains("‘--yes’"), "\(asked)")
            #expect(try await CommandRun(["epoch"], database: database).output == before)
            #expect(try await CommandRun(["epoch", "--renew", "--yes"], database: database).status == 0)
            #expect(try await CommandRun(["epoch"], database: database).output != before)
        }
    }

    @Test func anOwnerThatMayMakeNoRolesIsReported() async throws {
        // The role that the first file makes belongs to the cluster, so this takes a cluster without it.
        let folder = try TemporaryDirectory()
        let cluster = try await EmbeddedCluster.start(directory: "\(folder.path)/cluster", durability: .throwaway)
        let session = try await Session.open(cluster.superuserConnectionString)
        for statement in [
            "DROP OWNED BY syncserver_serving", "DROP ROLE syncserver_serving", "CREATE ROLE weak LOGIN",
            "CREATE DATABASE weak OWNER weak",
        ] { try await session.execute(Command(Statement(unchecked: statement))) }
        await session.close()
        let weak = ConnectionString(
            socketDirectory: cluster.directory.socketDirectory, port: ClusterDirectory.port, user: "weak",
            database: "weak")
        let run = try await CommandRun(["migrate", "up"], database: weak)
        try await cluster.stop()
        #expect(run.status == 1 && run.errors.contains("CREATEROLE"), "\(run.errors)")
        #expect(!run.errors.contains("correct the file"), "\(run.errors)")
    }

    @Test func aPrivateDatabaseIsNamedAndForgotten() async throws {
        let folder = try TemporaryDirectory()
        func run(_ words: String...) async throws -> CommandRun {
            try await CommandRun(words, workingDirectory: folder.path)
        }
        let path = ".syncserver/postgres"
        let used = try await run("migrate", "up")
        #expect(used.status == 0 && used.errors.contains("the private one in "), "\(used.errors)")
        let asked = try await run("reset")
        #expect(asked.status == 1 && asked.errors.contains("‘--yes’") && asked.errors.contains(path), "\(asked)")
        let reset = try await run("reset", "--yes")
        #expect(reset.status == 0 && reset.output.contains(path), "\(reset)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/\(path)"))
        #expect(try await run("reset", "--yes").output.contains("There is no private database"))
        // What only lies in its place is somebody's.
        let manager = FileManager.default
        try manager.createDirectory(atPath: "\(folder.path)/\(path)/mine", withIntermediateDirectories: true)
        #expect(try await run("reset", "--yes").errors.contains("holds no cluster"))
        try manager.moveItem(atPath: "\(folder.path)/\(path)", toPath: "\(folder.path)/elsewhere")
        try manager.createDirectory(atPath: "\(folder.path)/elsewhere/data", withIntermediateDirectories: true)
        try manager.createSymbolicLink(
            atPath: "\(folder.path)/\(path)", withDestinationPath: "\(folder.path)/elsewhere")
        #expect(try await run("reset", "--yes").errors.contains("is a link"))
        #expect(try manager.contentsOfDirectory(atPath: "\(folder.path)/elsewhere").sorted() == ["data", "mine"])
    }
}
