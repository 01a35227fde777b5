import Foundation
package import Postgres
import SyncTesting

/// A PostgreSQL server for one test, with a physical replica of it.
package struct Standby {
    package let primary: EmbeddedCluster
    package let replica: EmbeddedCluster

    package static func with<Value>(_ body: (Standby) async throws -> Value) async throws -> Value {
        let primary = try await EmbeddedCluster.start(directory: TestCluster.directory("primary"))
        defer { primary.demolish() }
        let requested = TestCluster.directory("replica")
        let directory = ClusterDirectory(requested: requested)
        try directory.make()
        let installation = try PostgresInstallation.fitting(dataDirectory: primary.directory.data)
        let copy = directory.program(
            "\(installation.programs)/pg_basebackup",
            [
                "--pgdata=\(directory.data)", "--host=\(primary.directory.socketDirectory)",
                "--port=\(ClusterDirectory.port)", "--username=postgres", "--checkpoint=fast", "--no-sync",
                "--write-recovery-conf",
            ])
        try await copy.run(log: directory.initializationLog)
        // It says how far it is whenever it gets something; that it has nothing left to do, this often.
        let settings = try FileHandle(forUpdating: URL(filePath: "\(directory.data)/postgresql.auto.conf"))
        try settings.seekToEnd()
        try settings.write(contentsOf: Data("wal_receiver_status_interval = '1s'\n".utf8))
        try settings.close()
        let replica = try await EmbeddedCluster.start(directory: requested)
        defer { replica.demolish() }
        return try await body(Standby(primary: primary, replica: replica))
    }

    /// Resumes or pauses the replay of the primary's changes on the replica, and waits until this has happened. During
    /// a pause, the replica receives changes without applying them.
    package func replay(_ isOn: Bool) async throws {
        let session = try await Session.open(replica.superuserConnectionString)
        try await session.execute(isOn ? "SELECT pg_wal_replay_resume()" : "SELECT pg_wal_replay_pause()")
        let state = isOn ? "not paused" : "paused"
        try await eventually("replay is \(state)") {
            try await session.execute("SELECT pg_get_wal_replay_pause_state()").string(0, 0) == state
        }
        await session.close()
    }
}
