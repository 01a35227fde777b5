import HTTPServer
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncSimulator
import SyncTestSupport
import Testing
import WireFormats

/// `GET …/events` between one server and its clients; see `SharedEventsTests` for several servers.
@Suite struct EventsTests {
    @Test func theFirstEventHasTheHeadOfTheSpace() async throws {
        try await withTestServer { server in
            let head = try await server.move()
            let reader = try EventReader(port: server.port, server.path("events"), headers: server.headers())
            let reply = try await reader.head()
            #expect(reply.status == 200 && reply["Content-Type"] == "text/event-stream")
            #expect(reply["Cache-Control"] == "no-store" && reply["X-Accel-Buffering"] == "no")
            #expect(reply["Sync-Head"] == "\(head)" && reply["Schema-Version"] == "0.1.1")
            #expect(reply["Content-Encoding"] == nil && reply["Server-Time"] != nil)
            let first = try await reader.event()
            #expect(first["event"] == "head" && first["id"] == "\(head)" && first["data"] == #"{"head":\#(head)}"#)
            let retry = try #require(first["retry"].flatMap { Int($0) })
            #expect((1_000...5_000).contains(retry))
            // A space that is not there yet, for who was away and says since when.
            let empty = ID.random()
            let token = try await server.makeToken(role: .read, spaces: [empty])
            let other = try EventReader(
                port: server.port, server.path("events", space: "me"),
                headers: server.headers(changing: ["Authorization": "Bearer \(token)", "Last-Event-ID": "0"]))
            #expect(try await other.head().status == 200)
            #expect(try await other.next() == 0)
        }
    }

    @Test func everyListenerReceivesTheHeadOfTheSpace() async throws {
        try await withTestServer { server in
            try await server.service.keepingEvents {
                var readers: [EventReader] = []
                for _ in 0..<20 { readers.append(try await server.listen()) }
                let last = try await withThrowingTaskGroup(of: Int64.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            var head: Int64 = 0
                            for _ in 0..<10 { head = try await server.move() }
                            return head
                        }
                    }
                    return try await group.reduce(0, max)
                }
                #expect(last == 40)
                for reader in readers {
                    let heads = try await reader.heads(until: last)
                    #expect(heads == Set(heads).sorted())
                }
                #expect(server.service.counts.events.listeners == 20)
            }
        }
    }

    @Test func aSpaceThatDoesNotMoveIsNotReported() async throws {
        try await withTestServer { server in
            try await server.service.keepingEvents {
                let other = ID.random()
                let token = try await server.makeToken(spaces: [other])
                let (mine, theirs) = (try await server.listen(), try await server.listen(space: other, token: token))
                #expect(try await mine.next() == 0)
                #expect(try await theirs.next() == 0)
                // A push that changes nothing, a pull and a collection leave it where it is.
                #expect(try await server.post([]).status == 200)
                _ = try await server.send("GET")
                _ = try await server.service.collect(olderThan: .zero)
                let head = try await server.move(other, token: token)
                #expect(try await theirs.next() == head)
                #expect(server.service.counts.events.sent == 3)
                #expect(try await server.move() == 1)
                #expect(try await mine.next() == 1)
            }
        }
    }

    @Test(
        "What a pull is refused for, a stream is",
        arguments: [
            ["Authorization": nil], ["Authorization": "Bearer sync_wrong"], ["Schema-Version": "9.9.9"],
            ["Schema-Version": nil], ["Device-Id": "me"], ["Change-Mode": "other"],
            ["Repetitions": "some"],
        ] as [[String: String?]])
    func refusals(changing: [String: String?]) async throws {
        try await withTestServer { server in
            let pull = try await server.send("GET", changing: changing)
            let stream = try await server.send("GET", server.path("events"), changing: changing)
            #expect(pull.status >= 400 && stream.isProblem(pull.status, pull.json["code"].string ?? ""), "\(stream)")
        }
    }

    @Test func unauthenticatedClientsAndOtherMethodsAreRefused() async throws {
        try await withTestServer { server in
            let outsider = try await server.send("GET", server.path("events", space: ID.random().description))
            #expect(outsider.isProblem(403, "not-a-member"))
            #expect(try await server.send("POST", server.path("events")).isProblem(405, "method-not-allowed"))
            #expect(try await server.send("GET", server.path("events", app: "none")).isProblem(404, "not-found"))
            let head = try await server.send("HEAD", server.path("events"))
            #expect(head.status == 200 && head["Content-Type"] == "text/event-stream")
            try await eventually("nobody listens") { server.service.counts.events.listeners == 0 }
        }
    }

    @Test func thereAreOnlySoManyListeners() async throws {
        var limits = HTTPServer.Limits()
        limits.streamsMax = 1
        try await withTestServer(limits: limits) { server in
            let reader = try await server.listen()
            let refused = try await server.send("GET", server.path("events"))
            #expect(refused.isProblem(503, "overloaded") && refused["Retry-After"] == "30")
            #expect(try await server.send("GET").status == 200)
            await reader.leave()
            try await eventually("the place is free") { server.service.counts.events.listeners == 0 }
            #expect(try await server.listen().next() == 0)
        }
    }

    @Test func heartbeatsComeInBetween() async throws {
        var limits = HTTPServer.Limits()
        limits.heartbeatInterval = .milliseconds(20)
        try await withTestServer(limits: limits) { server in
            let reader = try await server.listen()
            #expect(try await reader.next() == 0)
            for _ in 0..<3 { #expect(try await reader.event() == ["": ""]) }
            #expect(server.service.counts.events.sent == 1)
        }
    }

    @Test func aRevokedTokenEndsItsStreamsAtTheNextReview() async throws {
        try await withTestServer { server in
            let shared = ID.random()
            let revoked = try await server.makeToken(spaces: [server.space, shared])
            let moved = try await server.makeToken(spaces: [server.space])
            let readers = [
                try await server.listen(token: revoked), try await server.listen(space: shared, token: revoked),
                try await server.listen(token: moved),
            ]
            let other = try await server.listen()
            try await server.service.reviewEvents()
            for reader in readers + [other] { #expect(try await reader.next() == 0) }
            try await server.administer(
                "UPDATE sync.token SET revoked_at = now() WHERE cardinality(spaces) = 2")
            try await server.administer(
                """
                UPDATE sync.token SET spaces = ARRAY[gen_random_uuid()]
                WHERE created_at = (SELECT max(created_at) FROM sync.token WHERE revoked_at IS NULL)
                """)
            try await server.service.reviewEvents()
            for reader in readers { #expect(await reader.ends()) }
            try await server.service.keepingEvents {
                let head = try await server.move()
                #expect(try await other.next() == head)
            }
        }
    }

    @Test func everyListenerReceivesAnotherEpoch() async throws {
        try await withTestServer { server in
            let head = try await server.move()
            let reader = try await server.listen()
            #expect(try await reader.next() == head)
            try await server.administer("UPDATE sync.server SET epoch = gen_random_uuid()")
            try await server.service.reviewEvents()
            #expect(try await reader.next() == head)
            // As after a restored backup: a lower head is sent too.
            try await server.administer("UPDATE sync.server SET epoch = gen_random_uuid()")
            try await server.administer("UPDATE sync.space SET head = 0")
            try await server.service.reviewEvents()
            #expect(try await reader.next() == 0)
        }
    }

    @Test func aSpaceThatANewerServerTookOverIsLeftToIt() async throws {
        try await withTestServer { server in
            try await server.move()
            let reader = try await server.listen()
            #expect(try await reader.next() == 1)
            try await server.administer("UPDATE sync.space SET level = 1000")
            try await server.service.reviewEvents()
            #expect(await reader.ends())
            #expect(try await server.send("GET", server.path("events")).isProblem(503, "server-outdated"))
        }
    }
}
