import Operations
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

/// Tests that values written by SQL end no process and stop no device: each way of reading sends the attribute's
/// default instead, and all else as it is.
@Suite struct HostileValueTests {
    /// A record for each value that is put into it, and one that stays as it is.
    private struct Case {
        let id = ID.random()
        let value: HostileValue
    }

    private func withCases(
        _ values: [HostileValue], _ body: (TestServer, [Case], LogLines) async throws -> Void
    ) async throws {
        let lines = LogLines()
        try await withTestServer(
            SpecimensPlan.self, migrations: SpecimensPlan.migrations(), log: lines.log
        ) { server in
            let cases = values.map { Case(value: $0) }
            let device = server.device("2.0.0")
            for start in stride(from: 0, to: cases.count, by: 100) {
                let part = cases[start..<min(start + 100, cases.count)]
                try await device.push(part.map { .create("Specimen", $0.id, ["found": .string(found)], at: moment(1)) })
            }
            let session = try await Session.open(server.database.superuserConnectionString)
            try await session.runScript(SpecimensPlan.unguarding)
            if values.contains(where: { $0.sql == "NULL" }) { try await session.runScript(SpecimensPlan.emptying) }
            for one in cases { try await plant(one, session) }
            await session.close()
            try await body(server, cases, lines)
        }
    }

    private let found = "2024-05-01T08:00:00Z"

    private func plant(_ one: Case, _ session: Session) async throws {
        try await session.runScript(
            "UPDATE specimens.specimen SET \(one.value.column) = \(one.value.sql) WHERE id = '\(one.id)'")
    }

    /// Returns a record without any edit, as a device of the newest version holds it.
    private func standard(_ plan: Plan) -> [String: JSONValue] {
        let projection = plan.projection(version: plan.newest, named: "Specimen")
        let values = projection?.fields.map { ($0.name, JSONValue($0.standard)) } ?? []
        return Dictionary(values, uniquingKeysWith: { first, _ in first })
    }

    private func check(
        _ changes: [JSONValue], _ cases: [Case], _ plan: Plan, _ way: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let byID = Dictionary(changes.map { ($0["id"].string ?? "", $0) }, uniquingKeysWith: { $1 })
        let standard = standard(plan)
        for one in cases {
            guard let fields = byID[one.id.description]?["fields"].members else {
                Issue.record("\(way): \(one.value.testDescription) is not told", sourceLocation: sourceLocation)
                continue
            }
            var wanted = standard
            wanted["found"] = .string(found)
            switch one.value.expected {
            case .standard: wanted[one.value.attribute] = standard[one.value.attribute]
            case .exactly(let value): wanted[one.value.attribute] = value
            case .anything: wanted[one.value.attribute] = fields[one.value.attribute]
            }
            for (name, value) in wanted where fields[name] != value {
                let said = String("\(fields[name]?.text ?? "nothing")".prefix(100))
                Issue.record(
                    "\(way): \(one.value.testDescription): \(name) is \(said)", sourceLocation: sourceLocation)
            }
        }
    }

    private func pages(
        _ server: TestServer, _ version: String, port: Int? = nil, cursor: String? = nil, limit: Int,
        stamps: Bool = false
    ) async throws -> [JSONValue] {
        let index = try #require(ShapeName(version).flatMap { server.plan.index(of: $0) })
        let reader = try StrictReader(server.plan, version: index)
        var (all, cursor): ([JSONValue], String?) = ([], cursor)
        let client = TestClient(port: port ?? server.port)
        while true {
            let target =
                server.path() + "?limit=\(limit)" + (stamps ? "&stamps=true" : "")
                + (cursor.map { "&cursor=\($0)" } ?? "")
            let headers = server.headers(changing: ["Schema-Version": version, "Device-Id": nil])
            let reply = try await client.request("GET", target, headers: headers)
            try #require(reply.status == 200, "\(reply)")
            all += try reader.changes(of: reply.body)
            cursor = reply.json["cursor"].string
            if reply.json["more"] == false { return all }
        }
    }

    @Test func aNumberThatIsNoneIsSentAsTheDefault() async throws {
        try await withCases([HostileValue("ratio", "'NaN'"), HostileValue("ratio", "'-Infinity'")]) {
            server, cases, lines in
            check(try await pages(server, "2.0.0", limit: 100), cases, server.plan, "pull")
            #expect(try await server.isHealthy())
            // Once, with where it is, and without what it is.
            let warnings = lines.all.filter { $0.contains("cannot be sent") }
            #expect(warnings.count == 1, "\(warnings)")
            for word in ["Specimen", "ratio", "\(server.space)", "\(cases[0].id)", "2.0.0", "migrate doctor"] {
                #expect(warnings.first?.contains(word) == true, "\(word): \(warnings)")
            }
        }
    }

    @Test func eachWayThatReadsSendsWhatTheProtocolHas() async throws {
        try await withCases(HostileValue.all) { server, cases, _ in
            let plan = server.plan
            for limit in [7, 5000] {
                for stamps in [false, true] {
                    let way = "pages of \(limit), stamps \(stamps)"
                    check(try await pages(server, "2.0.0", limit: limit, stamps: stamps), cases, plan, way)
                    _ = try await pages(server, "1.0.0", limit: limit, stamps: stamps)
                }
            }
            try await server.withEngine { engine in
                for version in plan.schemas.indices {
                    let bytes = try await SpaceExport(engine: engine, space: server.space, version: version).run()
                    let lines = try bytes.split(separator: UInt8(ascii: "\n")).map { try StrictJSON.value(Array($0)) }
                    if version == plan.newest { check(lines, cases, plan, "export") }
                }
            }
            #expect(try await server.isHealthy())
        }
    }

    @Test func aStandbySendsWhatTheProtocolHas() async throws {
        try await withCases(HostileValue.all.filter { $0.sql != "NULL" }) { server, cases, _ in
            try await server.withSecondServer(
                migrations: SpecimensPlan.migrations(), standby: server.database.servingConnectionString
            ) { second in
                let received = try await pages(server, "2.0.0", port: second.port, limit: 5000)
                check(received, cases, server.plan, "standby")
                #expect(try #require(second.standbyCounts).read > 0)
            }
        }
    }

    @Test func anUpdatedDeviceIsSentWhatTheProtocolHas() async throws {
        try await withCases([]) { server, _, _ in
            let old = server.device("1.0.0")
            let cases = HostileValue.all.map { Case(value: $0) }
            for start in stride(from: 0, to: cases.count, by: 100) {
                let part = cases[start..<min(start + 100, cases.count)]
                try await server.device("2.0.0").push(
                    part.map { .create("Specimen", $0.id, ["found": .string(found)], at: moment(1)) })
            }
            try await old.pullAll()
            let session = try await Session.open(server.database.superuserConnectionString)
            try await session.runScript(SpecimensPlan.emptying)
            for one in cases { try await plant(one, session) }
            await session.close()
            for limit in [3, 5000] {
                let received = try await pages(server, "2.0.0", cursor: await old.cursor, limit: limit)
                #expect(received.count >= cases.count)
                check(received, cases, server.plan, "widening in pages of \(limit)")
            }
        }
    }

    /// An edit of something else leaves such a row good, and takes effect.
    @Test(arguments: ["1.0.0", "2.0.0"], [nil, "whole"])
    func anEditOfSuchARecordTakesEffect(version: String, mode: String?) async throws {
        // An impossible stamp is none, and a possible one may be later than the edit's.
        let values = HostileValue.all.filter {
            !["stamp", "stamps", "born", "died"].contains($0.column) || mode == nil
        }
        try await withCases(values) { server, cases, _ in
            let reader = try StrictReader(server.plan, version: server.plan.newest)
            let received = try await pages(server, version, limit: 5000)
            let device = server.device(version, mode: mode)
            for start in stride(from: 0, to: cases.count, by: 50) {
                let part = Array(cases[start..<min(start + 50, cases.count)])
                let changes = part.map { one in
                    var fields =
                        mode == nil ? [:] : received.first { $0["id"].string == "\(one.id)" }?["fields"].members ?? [:]
                    fields["name"] = "edited"
                    return JSONValue.update("Specimen", one.id, fields, at: moment(5))
                }
                let answer = try await device.push(changes)
                for (one, verdict) in zip(part, answer.verdicts) where verdict != "applied" {
                    let isLate = ["stamp", "stamps", "born", "died"].contains(one.value.column)
                    #expect(isLate && verdict == "superseded", "\(one.value.testDescription): \(verdict)")
                }
            }
            let sync = try await server.send(
                "POST", server.path("sync"), changing: ["Schema-Version": "2.0.0"], body: Array(#"{"changes":[]}"#.utf8)
            )
            try #require(sync.status == 200, "\(sync)")
            #expect(try reader.changes(of: sync.body).isEmpty == false)
            let now = try await pages(server, "2.0.0", limit: 5000)
            #expect(now.filter { $0["fields"]["name"] == "edited" }.count >= cases.count - HostileValue.states.count)
            #expect(try await server.collect() == 0)
            #expect(try await server.isHealthy())
        }
    }

    /// Rows with numbers that no push has given.
    @Test func numbersThatNobodyGaveEndNothing() async throws {
        try await withCases((0..<6).map { _ in HostileValue("flag", "true", .anything) }) { server, cases, _ in
            let session = try await Session.open(server.database.superuserConnectionString)
            for (one, seq) in zip(cases, ["0", "-5", "9223372036854775807", "-9223372036854775808", "1000000"]) {
                try await session.runScript("UPDATE specimens.specimen SET seq = \(seq) WHERE id = '\(one.id)'")
            }
            for limit in [1, 3, 5000] {
                _ = try await pages(server, "1.0.0", limit: limit)
                _ = try await pages(server, "2.0.0", limit: limit)
            }
            let device = server.device("2.0.0")
            #expect(
                try await device.push(cases.map { .update("Specimen", $0.id, ["count": 9], at: moment(7)) }).verdicts
                    == Array(repeating: "applied", count: cases.count))
            try await device.pullAll()
            for head in ["9223372036854775807", "-9223372036854775808"] {
                try await session.runScript("UPDATE sync.space SET head = \(head), records = \(head), bytes = \(head)")
                _ = try await server.send("GET", server.path(), changing: ["Schema-Version": "2.0.0"])
                _ = try await server.post(
                    [.create("Specimen", .random(), at: moment(9))], changing: ["Schema-Version": "2.0.0"])
                #expect(try await server.isHealthy())
            }
            await session.close()
        }
    }

    /// The seed is in the test's arguments.
    @Test(arguments: [3, UInt64.random(in: 4 ... .max)])
    func whateverIsWrittenIsSentAsTheProtocolHasIt(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var values: [HostileValue] = []
        for _ in 0..<150 { values.append(HostileValue(randomly: &random)) }
        try await withCases(values) { server, cases, _ in
            for version in ["1.0.0", "2.0.0"] {
                let received = try await pages(server, version, limit: 1 + Int(random.next() % 300), stamps: true)
                #expect(Set(received.map { $0["id"].string ?? "" }).count == cases.count, "seed \(seed)")
            }
        }
    }
}
