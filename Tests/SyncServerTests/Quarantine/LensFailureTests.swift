import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Promise P10: a change that a lens cannot translate is held, and stops neither its batch nor its device.
@Suite struct LensFailureTests {
    private let first = ID.random()
    private let second = ID.random()
    private let third = ID.random()

    @Test("P10: a lens that fails for one value holds that change to the letter, and the rest of its batch goes on")
    func theRestOfTheBatchGoesOn() async throws {
        try await withShop { server in
            let phone = server.device("1.0.0")
            // Members out of order, spaces and an escape: what is kept are these bytes.
            let text =
                "{ \"op\":\"create\", \"id\":\"\(second)\",\"stamp\":\(moment(2)), \"entity\":\"Item\","
                + "\"fields\":{\"price\":\"13\",\"name\":\"b\\u00e9,]}\\\"\"} }"
            let body =
                "{\"note\":0,\"ch\\u0061nges\":[\(JSONValue.create("Item", first, ["name": "a"], at: moment(1))) ,"
                + "\(text),\(JSONValue.create("Item", third, ["name": "c", "price": "5"], at: moment(3)))]}"
            let reply = try await server.client().request(
                "POST", server.path(),
                headers: [
                    "Authorization: Bearer \(server.token)", "Schema-Version: 1.0.0", "Device-Id: \(phone.id!)",
                    "Content-Type: application/json",
                ], body: Array(body.utf8))
            #expect(reply.status == 200)
            #expect(reply.json["applied"] == 2)
            #expect(reply.json["results"] == [["index": 1, "verdict": "held", "code": "lens-failed"]])

            let held = try #require(try await server.held().first)
            #expect(String(decoding: held.content.bytes, as: UTF8.self) == text)
            #expect(held.content.device == phone.id)
            #expect(held.content.record == second)
            #expect(held.content.stamp.rawValue == moment(2))
            #expect("\(held.content.version)" == "1.0.0")
            #expect(held.content.fingerprint == server.plan.shapes[0].fingerprint)
            #expect(held.reason.code == "lens-failed")
            #expect(held.reason.detail == "13 is unlucky")
            #expect(try await server.view("2.0.0")["Item"]?.count == 2)
        }
    }

    @Test("P4: the retry of a held change is held once, and a retry after the replay changes nothing")
    func aRetryIsHeldOnce() async throws {
        try await withShop { server in
            let phone = server.device("1.0.0")
            let change = JSONValue.create("Item", first, ["name": "a", "price": "13"], at: moment(1))
            for _ in 0..<3 {
                let answer = try await phone.send([change, change])
                #expect(answer.verdicts == ["held", "held"])
            }
            #expect(try await server.held().count == 1)
            #expect(try await server.replay(OneFault.self) == ["held"])
            #expect(try await server.held().map(\.attempts) == [2])
            #expect(try await server.replay(NoFault.self, isDryRun: true) == ["applied"])
            #expect(try await server.view("2.0.0")["Item"] == nil)
            #expect(try await server.replay(NoFault.self) == ["applied"])
            #expect(try await server.held().isEmpty)
            #expect(try await server.replay(NoFault.self) == [])
            #expect(try await server.view("1.0.0")["Item"]?[first.description]?["price"] == "13")
            #expect(try await server.pushMended([change]) == ["unchanged"])
            #expect(
                try await phone.send([.update("Item", first, ["price": "13"], at: moment(1))]).verdicts == ["unchanged"]
            )
        }
    }

    @Test func theReplayIsReportedToTheDeviceThatWroteIt() async throws {
        try await withShop { server in
            let (phone, tablet) = (server.device("1.0.0"), server.device("2.0.0"))
            try await phone.push([.create("Item", first, ["name": "a", "price": "1"], at: moment(1))])
            try await phone.pullAll()
            #expect(try await phone.push([.update("Item", first, ["price": "13"], at: moment(3))]).verdicts == ["held"])
            #expect(await phone.outbox.isEmpty)
            #expect(await phone.value("Item", first, "price") == "13")
            try await tablet.pullAll()
            try await tablet.push([.update("Item", first, ["cents": 900], at: moment(4))])
            // The later edit wins, and that is sent to the device that received ‘held’.
            #expect(try await server.replay(NoFault.self) == ["superseded"])
            try await phone.sync()
            try await tablet.sync()
            #expect(await phone.value("Item", first, "price") == "9")
            #expect(await tablet.value("Item", first, "cents") == 900)
            #expect(await phone.store == (try await server.view("1.0.0")))
        }
    }

    @Test("P10: a value that a lens cannot read is sent as the default, with its page, and is counted")
    func aFailingViewReadsAsTheDefault() async throws {
        try await withShop { server in
            let tablet = server.device("2.0.0")
            try await tablet.push([
                .create("Item", first, ["name": "a", "code": "x1"], at: moment(1)),
                .create("Item", second, ["name": "b", "code": "12"], at: moment(2)),
            ])
            let phone = server.device("1.0.0")
            #expect(try await phone.pullAll().count == 2)
            #expect(await phone.value("Item", first, "code") == 7)
            #expect(await phone.value("Item", second, "code") == 12)
            // Sent back as it was read, it leaves the richer value alone.
            let echo = try await phone.push([
                .update("Item", first, ["name": "a", "code": 7, "note": "n"], at: moment(3))
            ])
            #expect(echo.verdicts == ["applied"])
            #expect(try await server.view("2.0.0")["Item"]?[first.description]?["code"] == "x1")
            // A real edit replaces it.
            #expect(try await phone.push([.update("Item", first, ["code": 8], at: moment(4))]).verdicts == ["applied"])
            #expect(try await server.view("2.0.0")["Item"]?[first.description]?["code"] == "8")

            let faults = ReadFaults()
            try await tablet.push([.update("Item", second, ["code": "x2"], at: moment(5))])
            try await server.withEngine(readFaults: faults) { engine in
                for _ in 0..<2 {
                    let caller = SyncEngine.Caller(space: server.space, version: 0, device: nil)
                    _ = try await engine.pull(after: nil, limit: 10, as: caller)
                }
            }
            #expect(faults.count == 2)
        }
    }

    @Test func theLawsFindALensThatFails() async throws {
        let faulty = await Laws.check(try Plan(ShopPlan<OneFault>.self), cases: 50, seed: 1)
        #expect(faulty.violations.contains { $0.law == .total && "\($0)".contains("13 is unlucky") })
    }
}
