import DemoApps
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// A version is deprecated, retired in two steps, and restored; nothing acknowledged is lost, and nothing is taken in
/// silence.
@Suite struct VersionLifecycleTests {
    private let old = "0.0.8"
    private let new = "0.1.1"

    private func say(_ row: VersionStates.Row, _ server: TestServer) async throws {
        let session = try await server.database.session()
        try await session.execute(VersionStates.writing(row))
        await session.close()
        try await server.service.reviewVersions()
    }

    private func lifecycle(_ change: (inout VersionStates.Row) -> Void) -> VersionStates.Row {
        var row = VersionStates.Row(app: "fitiq", version: old)
        change(&row)
        return row
    }

    private let past = Timestamp.now.adding(.seconds(-3600))
    private let future = Timestamp.now.adding(.seconds(90 * 86_400))

    private func request(
        _ method: String, _ path: String, _ version: String, _ server: TestServer, _ body: JSONValue? = nil
    ) async throws -> TestReply {
        try await server.send(method, server.path(path), changing: ["Schema-Version": version], body: body?.bytes)
    }

    private func push(_ id: ID, at time: Int64, writtenIn version: String? = nil) -> JSONValue {
        ["changes": [.create("SDMeal", id, ["notes": "a note"], at: moment(time), in: version)]]
    }

    @Test func aDeprecatedVersionWorksAndIsSentItsEnd() async throws {
        try await withTestServer { server in
            try await say(
                lifecycle { ($0.deprecated, $0.sunset, $0.link) = (past, future, "https://example.org/update") }, server
            )
            let id = ID.random()
            for (method, path, body) in [
                ("POST", "changes", push(id, at: 1)), ("GET", "changes", nil), ("POST", "sync", push(id, at: 1)),
            ] as [(String, String, JSONValue?)] {
                let reply = try await request(method, path, old, server, body)
                #expect(reply.status == 200)
                #expect(reply["deprecation"] == "@\(past.microseconds / 1_000_000)")
                let sunset = try #require(reply["sunset"])
                #expect(sunset.hasSuffix(" GMT") && sunset.utf8.count == 29, "\(sunset)")
                #expect(reply["link"] == "<https://example.org/update>; rel=\"deprecation\"; type=\"text/html\"")
                #expect(try await request(method, path, new, server, body)["deprecation"] == nil)
            }
            let app = try await server.client().request("GET", "/v1/apps/fitiq").json
            let version = try #require(app["versions"].elements.first { $0["version"] == .string(old) })
            #expect(version["status"] == "deprecated" && version["link"] == "https://example.org/update")
            #expect(version["sunset"] == .string(future.description))
        }
    }

    @Test func aDateIsWrittenAsHTTPWritesIt() async throws {
        try await withTestServer { server in
            try await say(
                lifecycle { ($0.deprecated, $0.sunset) = (past, try? Timestamp("1994-11-06T08:49:37Z")) }, server)
            // RFC 9110, section 5.6.7.
            #expect(try await request("GET", "changes", old, server)["sunset"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        }
    }

    @Test func aRetiredVersionCanNeitherPullNorPushAndItsOutboxCan() async throws {
        try await withTestServer { server in
            let (before, after) = (ID.random(), ID.random())
            #expect(try await request("POST", "changes", old, server, push(before, at: 1)).status == 200)
            let stream = try await server.listen()
            let oldStream = try await server.listen(version: old)
            for reader in [stream, oldStream] { #expect(try await reader.next() != nil) }
            try await say(lifecycle { ($0.retired, $0.outboxUntil) = (past, future) }, server)
            let contents = try await server.contents()
            for (method, path, body) in [
                ("GET", "changes", nil), ("POST", "changes", push(after, at: 2)), ("POST", "sync", push(after, at: 2)),
                ("GET", "events", nil),
            ] as [(String, String, JSONValue?)] {
                let reply = try await request(method, path, old, server, body)
                #expect(reply.isProblem(426, "version-retired"), "\(reply)")
                #expect(reply.json["current"] == .string(new) && reply.json["version"] == .string(old))
                #expect(reply.json["outboxUntil"] == .string(future.description))
            }
            #expect(try await server.contents() == contents)
            #expect(await oldStream.ends())
            // The others go on, and receive what comes.
            try await server.service.keepingEvents {
                // The app was updated, and pushes what it wrote before.
                let reply = try await request("POST", "changes", new, server, push(after, at: 2, writtenIn: old))
                #expect(reply.status == 200 && reply.json["applied"] == 1, "\(reply)")
                #expect(try await stream.next() != nil)
            }
            let view = try await server.view(new)
            #expect(Set(view["SDMeal"]?.keys.map { $0 } ?? []) == [before.description, after.description])
        }
    }

    @Test func afterTheSecondDateNothingIsTakenAndAllIsNamed() async throws {
        try await withTestServer { server in
            try await say(lifecycle { ($0.retired, $0.outboxUntil) = (past, past) }, server)
            let contents = try await server.contents()
            let (mine, theirs) = (ID.random(), ID.random())
            let both: JSONValue = [
                "changes": [
                    .create("SDMeal", mine, at: moment(1)), .create("SDMeal", theirs, at: moment(2), in: old),
                    .create("SDMeal", .random(), at: moment(3), in: old),
                ]
            ]
            let refused = try await request("POST", "changes", new, server, both)
            #expect(refused.isProblem(409, "outbox-closed"), "\(refused)")
            #expect(refused.json["changes"] == [1, 2] && refused.json["version"] == .string(old))
            #expect(refused["retry-after"] == "86400")
            #expect(try await server.contents() == contents)
            // Without them it goes on.
            #expect(try await request("POST", "changes", new, server, push(mine, at: 1)).status == 200)
            // Restored, all of it is taken.
            let session = try await server.database.session()
            try await session.execute(VersionStates.removing(old, of: "fitiq"))
            await session.close()
            try await server.service.reviewVersions()
            #expect(try await request("POST", "changes", new, server, both).json["applied"] == 2)
            #expect(try await request("GET", "changes", old, server).status == 200)
        }
    }

    /// A date to come changes nothing until it has come.
    @Test func aPlanIsReportedAndNotRun() async throws {
        try await withTestServer { server in
            try await say(lifecycle { ($0.deprecated, $0.retired, $0.outboxUntil) = (past, future, future) }, server)
            let reply = try await request("GET", "changes", old, server)
            #expect(reply.status == 200 && reply["sunset"] != nil)
        }
    }

    /// A variant has a lifecycle of its own: its number goes on.
    @Test func aVariantIsRetiredByItself() async throws {
        try await withTestServer(KeepTrackPlan.self) { server in
            let variant = try #require(server.plan.shapes.indices.first(where: server.plan.isVariant))
            let name = server.plan.name(of: variant).description
            var row = VersionStates.Row(app: "keeptrack", version: name)
            (row.retired, row.outboxUntil) = (past, future)
            try await say(row, server)
            #expect(try await request("GET", "changes", name, server).status == 426)
            let number = server.plan.shapes[variant].version.description
            #expect(try await request("GET", "changes", number, server).status == 200)
        }
    }
}
