import Foundation
import HTTPServer
import Postgres
import SyncSimulator
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Events where several processes work on one database.
@Suite struct SharedEventsTests {
    private func channelsInUse(_ server: TestServer) async throws -> [Int64] {
        let session = try await Session.open(server.database.superuserConnectionString)
        let rows = try await session.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'")
        await session.close()
        return (0..<rows.count).map { rows.int($0, 0) }
    }

    @Test func theMovesOfAnotherServerAreReceived() async throws {
        try await withTestServer { server in
            try await server.withSecondServer { second in
                try await server.service.keepingEvents {
                    try await second.keepingEvents {
                        let reader = try await server.listen()
                        #expect(try await reader.next() == 0)
                        for _ in 0..<5 {
                            let head = try await server.move(through: second)
                            #expect(try await reader.heads(until: head) == [head])
                        }
                    }
                }
            }
        }
    }

    /// The second server announces nothing: as if it were killed between its commit and the announcement.
    @Test func whatWasNeverAnnouncedIsFoundByTheReview() async throws {
        try await withTestServer { server in
            try await server.withSecondServer { silent in
                try await server.service.keepingEvents {
                    let fence = ID.random()
                    let token = try await server.makeToken(spaces: [fence])
                    let (reader, other) = (
                        try await server.listen(), try await server.listen(space: fence, token: token)
                    )
                    #expect(try await reader.next() == 0)
                    #expect(try await other.next() == 0)
                    try await eventually("the channel is open") { try await !channelsInUse(server).isEmpty }
                    // The review that follows the opening is over once a move through the channel is received.
                    try await announce(SpaceName(app: "fitiq", space: fence), 7, server)
                    #expect(try await other.next() == 7)
                    let head = try await server.move(through: silent)
                    try await announce(SpaceName(app: "fitiq", space: fence), 8, server)
                    #expect(try await other.next() == 8)
                    #expect(server.service.counts.events.sent == 4)
                    try await server.service.reviewEvents()
                    #expect(try await reader.next() == head)
                }
            }
        }
    }

    private func announce(_ name: SpaceName, _ head: Int64, _ server: TestServer) async throws {
        let pool = Pool(server.database.connectionString, limits: .patient(sessionsMax: 1))
        let epoch = try await pool.withSession { session in
            try await session.execute("SELECT epoch FROM sync.server").id(0, 0)
        }
        let payloads = Announcement.payloads(of: [name: SpaceHead(epoch: epoch, head: head)])
        try await NotificationChannel.notify(payloads, on: Announcement.channel, through: pool)
        await pool.close()
    }

    @Test func aServerWhoseChannelIsCutOpensAnother() async throws {
        try await withTestServer { server in
            try await server.withSecondServer { second in
                try await server.service.keepingEvents {
                    let reader = try await server.listen()
                    #expect(try await reader.next() == 0)
                    try await eventually("the channel is open") { try await channelsInUse(server).count == 1 }
                    let first = try await channelsInUse(server)
                    // Moved where nobody announces it, so that only the review after the cut can find it.
                    let unannounced = try await server.move(through: second)
                    try await server.administer(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE 'LISTEN %'
                        """)
                    #expect(try await reader.heads(until: unannounced).last == unannounced)
                    try await eventually("another channel is open") {
                        let channels = try await channelsInUse(server)
                        return channels.count == 1 && channels != first
                    }
                    try await second.keepingEvents {
                        let head = try await server.move(through: second)
                        #expect(try await reader.next() == head)
                    }
                }
            }
        }
    }

    @Test func aServerThatStopsEndsItsStreams() async throws {
        try await withTestServer { server in
            try await server.withSecondServer { second in
                let reader = try EventReader(port: second.port, server.path("events"), headers: server.headers())
                #expect(try await reader.head().status == 200)
                #expect(try await reader.next() == 0)
                await second.stop()
                #expect(await reader.ends())
                #expect(second.counts.events.listeners == 0 && second.counts.http.openStreams == 0)
            }
        }
    }

    @Test func theMovesOfACommandAreReceived() async throws {
        try await withTestServer { server in
            try await server.move()
            let copy = ID.random()
            let token = try await server.makeToken(spaces: [copy])
            let file = FileManager.default.temporaryDirectory.appending(path: "events-\(UUID()).ndjson").path
            defer { try? FileManager.default.removeItem(atPath: file) }
            let export = ["export", "--app", "fitiq", "--space", server.space.description, "--output", file]
            #expect(try await CommandRun(export, database: server.database.connectionString).status == 0)
            try await server.service.keepingEvents {
                let reader = try await server.listen(space: copy, token: token)
                #expect(try await reader.next() == 0)
                try await eventually("the channel is open") { try await !channelsInUse(server).isEmpty }
                let run = try await CommandRun(
                    ["import", "--app", "fitiq", "--space", copy.description, file],
                    database: server.database.connectionString)
                #expect(run.status == 0, "\(run.errors)")
                #expect(try await reader.next() == 1)
            }
        }
    }

    @Test func anAnnouncementHoldsAnyNumberOfSpaces() {
        var moved: [SpaceName: SpaceHead] = [:]
        for number in 0..<1_000 {
            let name = SpaceName(app: number % 2 == 0 ? "fitiq" : "allesteurer", space: .random())
            moved[name] = SpaceHead(epoch: ID(high: 1, low: UInt64(number % 3)), head: Int64.max - Int64(number))
        }
        let payloads = Announcement.payloads(of: moved)
        #expect(payloads.allSatisfy { $0.utf8.count < 8_000 } && payloads.count < 15)
        var received: [SpaceName: SpaceHead] = [:]
        for payload in payloads { received.merge(Announcement.moved(in: payload)) { $1 } }
        #expect(received == moved)
        for garbage in ["", "\n", "x", "\(ID.random())\nfitiq x 1\nfitiq \(ID.random()) -1\nfitiq 1\n\n"] {
            #expect(Announcement.moved(in: garbage).isEmpty)
        }
    }
}
