import Foundation
import Postgres

/// A private cluster whose processes can be stopped and woken: what takes connections in and never answers.
struct HungCluster {
    private let cluster: EmbeddedCluster
    private let postmaster: pid_t

    init(_ cluster: EmbeddedCluster) async throws {
        self.cluster = cluster
        let session = try await Session.open(cluster.superuserConnectionString)
        let rows = try await session.execute(
            "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::bigint")
        await session.close()
        postmaster = pid_t(rows.int(0, 0))
    }

    /// SIGSTOP: the postmaster first, so that it makes no more.
    func hang() throws {
        kill(postmaster, SIGSTOP)
        for child in try children() { kill(child, SIGSTOP) }
    }

    func wake() throws {
        for child in try children() { kill(child, SIGCONT) }
        kill(postmaster, SIGCONT)
    }

    /// proc(5), `/proc/pid/task/tid/children`.
    private func children() throws -> [pid_t] {
        let path = "/proc/\(postmaster)/task/\(postmaster)/children"
        return try String(contentsOfFile: path, encoding: .utf8).split(separator: " ").compactMap { pid_t($0) }
    }
}
