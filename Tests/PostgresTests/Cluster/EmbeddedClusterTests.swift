import Glibc
import SyncTestSupport
import SyncTesting
import Testing

@testable import Postgres

@Suite(.timeLimit(.minutes(10))) struct EmbeddedClusterTests {
    @Test func aClusterServesItsOwnerAndStopsWhenLeft() async throws {
        try await withDirectory { directory in
            let cluster = try await EmbeddedCluster.start(directory: directory)
            #expect(cluster.origin == .started)
            let session = try await Session.open(cluster.connectionString)
            let rows = try await session.execute(
                """
                SELECT current_user::text, current_database()::text, rolsuper, rolcreaterole,
                       current_setting('listen_addresses'), current_setting('fsync'),
                       pg_encoding_to_char(encoding)::text, datcollate::text
                FROM pg_roles, pg_database
                WHERE rolname = current_user AND datname = current_database()
                """)
            #expect(rows.string(0, 0) == "syncserver_owner" && rows.string(0, 1) == "syncserver")
            #expect(!rows.bool(0, 2) && rows.bool(0, 3))
            #expect(rows.string(0, 4) == "" && rows.string(0, 5) == "on")
            #expect(rows.string(0, 6) == "UTF8" && rows.string(0, 7) == "C.UTF-8")

            let postmaster = try #require(Postmaster.running(in: cluster.directory.data))
            try await cluster.stop()
            #expect(!postmaster.isAlive && Postmaster.running(in: cluster.directory.data) == nil)
        }
    }

    @Test func theServerRunsUnprivilegedAndOutOfReachOfTheTerminal() async throws {
        try await withDirectory { directory in
            let cluster = try await EmbeddedCluster.start(directory: directory)
            let processID = try #require(Postmaster.running(in: cluster.directory.data)).processID
            var status = stat()
            #expect(stat("/proc/\(processID)", &status) == 0)
            #expect(status.st_uid != 0 && status.st_uid == cluster.directory.account.userID)
            #expect(getsid(processID) == processID && getsid(processID) != getsid(0))
            try await cluster.stop()
        }
    }

    @Test func theServerInheritsNothingThatWasOpenHere() async throws {
        try await withDirectory { directory in
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            let ours = try #require(Files.destination(ofLink: "/proc/self/fd/\(ends[1])"))
            let cluster = try await EmbeddedCluster.start(directory: directory)
            let processID = try #require(Postmaster.running(in: cluster.directory.data)).processID
            let folder = "/proc/\(processID)/fd"
            let open = try Files.names(in: folder).compactMap { Files.destination(ofLink: "\(folder)/\($0)") }
            #expect(!open.isEmpty && !open.contains(ours), "\(open)")
            try await cluster.stop()
        }
    }

    @Test func aServerThatWasKilledRecoversAtTheNextStart() async throws {
        try await withDirectory { directory in
            let cluster = try await EmbeddedCluster.start(directory: directory)
            let session = try await Session.open(cluster.connectionString)
            try await session.execute("CREATE TABLE public.t AS SELECT generate_series(1, 1000) AS x")
            let postmaster = try #require(Postmaster.running(in: cluster.directory.data))
            kill(postmaster.processID, SIGKILL)
            try await eventually("the server is dead") { !postmaster.isAlive }

            let next = try await EmbeddedCluster.start(directory: directory)
            #expect(next.origin == .started)
            let count = try await Session.open(next.connectionString).execute("SELECT count(*) FROM public.t").int(0, 0)
            #expect(count == 1000)
            try await next.stop()
            // The first lease on the cluster is still there, so the last one out is it.
            try await cluster.stop()
            #expect(Postmaster.running(in: cluster.directory.data) == nil)
        }
    }

    @Test func aServerWhoseStarterWasKilledIsAdopted() async throws {
        try await withDirectory { directory in
            // Letting go without stopping is what the kernel does for a killed process.
            let path = try await EmbeddedCluster.start(directory: directory).directory.data
            let postmaster = try #require(Postmaster.running(in: path))
            let next = try await EmbeddedCluster.start(directory: directory)
            #expect(next.origin == .adopted)
            #expect(Postmaster.running(in: path) == postmaster)
            try await next.stop()
            #expect(!postmaster.isAlive)
        }
    }

    @Test func theLastToLeaveStopsTheServer() async throws {
        try await withDirectory { directory in
            let clusters = try await withThrowingTaskGroup(of: EmbeddedCluster.self) { group in
                for _ in 0..<3 { group.addTask { try await EmbeddedCluster.start(directory: directory) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(clusters.count { $0.origin == .started } == 1)
            for cluster in clusters.dropLast() {
                try await cluster.stop()
                try await Session.open(cluster.connectionString).close()
            }
            try await clusters[2].stop()
            #expect(Postmaster.running(in: clusters[2].directory.data) == nil)
        }
    }

    @Test func whatAKilledTestProcessLeftIsClearedAway() async throws {
        let parent = try TemporaryDirectory()
        let used = try await EmbeddedCluster.start(
            directory: "\(parent.path)/test-2147483647-used", durability: .throwaway)
        let path = try await EmbeddedCluster.start(
            directory: "\(parent.path)/test-2147483647-abandoned", durability: .throwaway
        ).path
        let abandoned = try #require(Postmaster.running(in: "\(path)/data"))
        EmbeddedCluster.demolishAbandoned(in: parent.path, prefix: "test-")
        #expect(!abandoned.isAlive && !Files.exists(path))
        #expect(Postmaster.running(in: used.directory.data) != nil)
        used.demolish()
        #expect(!Files.exists(used.path))
    }

    @Test func anUnfinishedInitializationIsBegunAgain() async throws {
        try await withDirectory { path in
            let directory = ClusterDirectory(requested: path)
            try directory.make()
            try Files.makeDirectory("\(directory.unfinishedData)/base", mode: 0o700)
            let cluster = try await EmbeddedCluster.start(directory: path)
            #expect(!Files.exists(directory.unfinishedData))
            try await cluster.stop()
        }
    }

    @Test func anUnknownMajorVersionIsNamed() async throws {
        let parent = try TemporaryDirectory()
        try parent.write("9.6\n".utf8, to: "data/PG_VERSION")
        let error = #expect(throws: ClusterError.self) {
            try PostgresInstallation.fitting(dataDirectory: "\(parent.path)/data")
        }
        #expect(error?.description.contains("postgresql-9") == true)
    }

    private func withDirectory(
        _ name: String = #function, _ body: (String) async throws -> Void
    ) async throws {
        let directory = TestCluster.directory(name.filter(\.isLetter))
        defer { EmbeddedCluster.demolish(ClusterDirectory(requested: directory)) }
        try await body(directory)
    }
}
