import SyncTestSupport
import Testing
import WireFormats

/// Values reach SQL bound only: SQL in any string is text, or refused for being none of what is asked.
@Suite struct InjectionTests {
    static let attacks = [
        "'; DROP TABLE fitiq.sd_meal; --", "\"; DELETE FROM sync.token; --", "') OR ('1'='1", "$1; SELECT 1",
        "\\'; COMMIT; DROP SCHEMA fitiq CASCADE; --", "{},{}", "%s%n'||pg_sleep(5)||'",
    ]

    @Test(arguments: attacks)
    func sqlInAnyPartOfAChangeIsRejected(attack: String) async throws {
        try await withTestServer { server in
            let text = JSONValue.string(attack)
            let whole: [String: JSONValue] = [
                "entity": "SDMeal", "id": .id(.random()), "op": "create", "fields": ["notes": "x"],
            ]
            var changes = ["entity", "id", "op", "stamp", "version", "fields"].map { name in
                JSONValue.object(whole.merging([name: text]) { $1 })
            }
            changes.append(.object(whole.merging([attack: 1]) { $1 }))
            changes.append(.object(whole.merging(["fields": .object([attack: 1])]) { $1 }))
            for field in ["userProfile", "loggedAt", "totalCalories", "totalFatG"] {
                changes.append(.object(whole.merging(["fields": .object([field: text])]) { $1 }))
            }
            let before = try await server.contents()
            let reply = try await server.post(changes)
            #expect(reply.status == 200)
            #expect(reply.json["results"].elements.count == changes.count)
            #expect(reply.json["results"].elements.allSatisfy { $0["verdict"] == "rejected" }, "\(reply)")
            #expect(try await server.contents() == before)
        }
    }

    @Test(arguments: attacks)
    func sqlInAHeaderOrATargetIsRefused(attack: String) async throws {
        try await withTestServer { server in
            let before = try await server.contents()
            let body = JSONValue.object(["changes": [.create("SDMeal", .random(), at: moment(1))]]).bytes
            for name in ["Authorization", "Schema-Version", "Device-Id", "Content-Type"] {
                let value = name == "Authorization" ? "Bearer \(attack.replacing(" ", with: ""))" : attack
                let reply = try await server.send("POST", changing: [name: value], body: body)
                #expect([400, 401, 415].contains(reply.status), "\(name): \(reply)")
            }
            let encoded = attack.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            for target in [
                server.path(app: encoded), server.path(space: encoded), server.path(encoded),
                "\(server.path())?cursor=\(encoded)", "\(server.path())?limit=\(encoded)",
            ] {
                let reply = try await server.send("GET", target)
                #expect(
                    [400, 404].contains(reply.status) && reply["content-type"] == "application/problem+json",
                    "\(target)")
            }
            #expect(try await server.contents() == before)
            #expect(try await server.isHealthy())
        }
    }

    @Test func sqlInAValueIsStoredToTheLetter() async throws {
        try await withTestServer { server in
            for attack in InjectionTests.attacks {
                let id = ID.random()
                let fields: [String: JSONValue] = ["labels": [.string(attack)], "notes": .string(attack)]
                let answer = try await server.device("0.0.5").push([.create("SDMoodEntry", id, fields, at: moment(1))])
                #expect(answer.verdicts == ["applied"])
                let record = try await server.view("0.0.5")["SDMoodEntry"]?[id.description]
                #expect(record?["notes"] == .string(attack) && record?["labels"] == [.string(attack)])
            }
        }
    }
}
