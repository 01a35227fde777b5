import DemoApps
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// Tests that values written by SQL into the server's own tables end no process, and that an answer for which the
/// protocol has no form leaves them out.
@Suite struct HostileBookkeepingTests {
    static let times = ["infinity", "-infinity", "0044-03-15 12:00+00 BC", "10000-01-01+00", "294276-12-31+00"]

    @Test(arguments: times, ["deprecated_at", "sunset_at", "retired_at"])
    func aVersionsLifecycleMayHaveAnyTime(time: String, column: String) async throws {
        try await withTestServer { server in
            let columns = column == "retired_at" ? "retired_at, outbox_until" : "deprecated_at, \(column)"
            let values = column == "retired_at" ? "'\(time)', '\(time)'" : "'2020-01-01', '\(time)'"
            try await server.database.run(
                column == "deprecated_at"
                    ? "INSERT INTO sync.version_life (app, version, deprecated_at) VALUES ('fitiq', '0.0.8', '\(time)')"
                    : "INSERT INTO sync.version_life (app, version, \(columns)) VALUES ('fitiq', '0.0.8', \(values))")
            try await server.service.reviewVersions()
            let reply = try await server.send("GET", changing: ["Schema-Version": "0.0.8"])
            #expect(reply.status == (column == "retired_at" && isPast(time) ? 426 : 200))
            if let sunset = reply["sunset"] { #expect(sunset.count == 29, "\(sunset)") }
            let app = try await server.send("GET", "/v1/apps/fitiq", changing: [:])
            #expect(app.status == 200)
            let versions = app.json["versions"].elements
            for name in ["deprecated", "sunset", "retired", "outboxUntil"] {
                for text in versions.compactMap({ $0[name].string }) {
                    #expect((try? Timestamp(text)) != nil, "\(name): \(text)")
                }
            }
        }
    }

    private func isPast(_ time: String) -> Bool { time == "-infinity" || time.hasSuffix("BC") }

    /// No header is made of it, and no other answer fails.
    @Test func aLinkThatIsNoneIsNotSent() async throws {
        try await withTestServer { server in
            for link in [
                "https://example.org/\r\nSet-Cookie: a", "javascript:x",
                "https://" + String(repeating: "a", count: 100_000),
            ] {
                try await server.database.run(
                    """
                    INSERT INTO sync.version_life (app, version, deprecated_at, link)
                    VALUES ('fitiq', '0.0.8', '2020-01-01', $link$\(link)$link$)
                    ON CONFLICT (app, version) DO UPDATE SET link = excluded.link
                    """)
                try await server.service.reviewVersions()
                let reply = try await server.send("GET", changing: ["Schema-Version": "0.0.8"])
                #expect(reply.status == 200 && reply["deprecation"] != nil && reply["link"] == nil, "\(reply)")
            }
        }
    }

    @Test(arguments: ["records_max", "bytes_max", "records", "bytes", "record_size", "head", "horizon", "counted_head"])
    func aSpacesNumbersMayBeAny(column: String) async throws {
        try await withTestServer { server in
            let device = server.device()
            try await device.push([.create("SDMeal", .random(), at: moment(1))])
            for value in ["-9223372036854775808", "9223372036854775807", "-1", "0"] {
                do {
                    try await server.database.run("UPDATE sync.space SET \(column) = \(value)")
                } catch PGError.constraintViolation {
                    continue
                }
                for _ in 0..<2 {
                    _ = try await server.post([.create("SDMeal", .random(), ["notes": "some"], at: moment(2))])
                    _ = try await server.send("GET", changing: [:])
                }
            }
            #expect(try await server.send("GET", "/v1/apps/fitiq", changing: [:]).status == 200, "it lives")
        }
    }

    @Test(arguments: times)
    func peopleMayHaveJoinedAtAnyTime(time: String) async throws {
        try await withTestServer { server in
            let anna = try await Person("anna", server)
            let space = try await anna.makeSpace()
            _ = try await anna.invite(to: space)
            try await server.database.run("UPDATE sync.member SET since = '\(time)'")
            for path in ["spaces", "spaces/\(space)/members"] {
                let reply = try await anna.request("GET", path)
                let times = (reply.json["members"].elements + reply.json["spaces"].elements).map { $0["since"].string }
                #expect(!times.isEmpty)
                for text in times { #expect((try? Timestamp(try #require(text))) != nil, "\(text ?? "none")") }
            }
        }
    }
}
