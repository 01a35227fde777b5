import SyncTestSupport
import Testing
import WireFormats

/// A change is judged once: what the network delivers again, when the space has become another one, changes nothing.
@Suite struct JudgedOnceTests {
    private let id = ID.random()

    /// H5. What the whole record said of the notes was no edit then, and is none now.
    @Test func aWholeRecordThatArrivesOnceMoreBeatsNobody() async throws {
        try await withTestServer { server in
            let (device, other) = (server.device("0.0.7", mode: "whole"), server.device())
            try await other.push([.create("SDMeal", id, ["notes": "A", "rawInput": "r1"], at: moment(1))])
            try await device.pullAll()
            var fields = try #require(await device.store["SDMeal"]?[id.description])
            fields["rawInput"] = "r2"
            let change = JSONValue.update("SDMeal", id, fields, at: moment(5))
            #expect(try await device.push([change]).verdicts == ["applied"])
            try await other.push([.update("SDMeal", id, ["notes": "B"], at: moment(3))])
            #expect(try await device.send([change]).verdicts == ["unchanged"])
            #expect(try await server.view("0.0.7")["SDMeal"]?[id.description]?["notes"] == "B")

            // Nor where others have overwritten all that it changed, or it changed nothing.
            try await other.push([.update("SDMeal", id, ["rawInput": "r3"], at: moment(6))])
            #expect(try await device.send([change]).verdicts == ["unchanged"])
            #expect(try await server.view("0.0.7")["SDMeal"]?[id.description]?["rawInput"] == "r3")
        }
    }

    @Test func aWholeRecordWithoutAnEditBeatsNobodyLater() async throws {
        try await withTestServer { server in
            let (device, other) = (server.device("0.0.7", mode: "whole"), server.device())
            try await other.push([.create("SDMeal", id, ["notes": "A"], at: moment(1))])
            try await device.pullAll()
            let fields = try #require(await device.store["SDMeal"]?[id.description])
            let change = JSONValue.update("SDMeal", id, fields, at: moment(5))
            #expect(try await device.push([change]).verdicts == ["unchanged"])
            try await other.push([.update("SDMeal", id, ["notes": "B"], at: moment(3))])
            #expect(try await device.send([change]).verdicts == ["unchanged"])
            #expect(try await server.view("0.0.7")["SDMeal"]?[id.description]?["notes"] == "B")
        }
    }

    /// Another device may make the same stamp, because it saw the same edit.
    @Test func anotherDevicesWholeRecordOfOneStampIsJudged() async throws {
        try await withTestServer { server in
            let (one, two) = (server.device("0.0.7", mode: "whole"), server.device("0.0.7", mode: "whole"))
            try await one.push([.create("SDMeal", id, ["notes": "A", "rawInput": "r"], at: moment(1))])
            try await one.pullAll()
            try await two.pullAll()
            let fields = try #require(await one.store["SDMeal"]?[id.description])
            try await one.push([.update("SDMeal", id, fields.merging(["notes": "B"]) { $1 }, at: moment(2))])
            let second = JSONValue.update("SDMeal", id, fields.merging(["rawInput": "s"]) { $1 }, at: moment(2))
            #expect(try await two.push([second]).verdicts == ["merged"])
            let meal = try await server.view("0.0.7")["SDMeal"]?[id.description]
            #expect(meal?["notes"] == "B" && meal?["rawInput"] == "s")
        }
    }

    /// Held, it is judged when it is replayed.
    @Test func aWholeRecordThatWasReplayedBeatsNobodyWhenItArrivesOnceMore() async throws {
        try await withShop { server in
            let (device, other) = (server.device("1.0.0", mode: "whole"), server.device("1.0.0"))
            try await other.push([.create("Item", id, ["name": "a", "price": "1"], at: moment(1))])
            let change = JSONValue.update("Item", id, ["name": "a", "price": "13", "note": "n"], at: moment(4))
            #expect(try await device.send([change]).verdicts == ["held"])
            #expect(try await server.replay(NoFault.self) == ["applied"])
            try await other.push([.update("Item", id, ["name": "b"], at: moment(3))])
            #expect(try await device.send([change]).verdicts == ["unchanged"])
            #expect(try await server.held().isEmpty)
            #expect(try await server.view("1.0.0")["Item"]?[id.description]?["name"] == "b")
        }
    }

    /// H8. Its user was informed that nothing of it happened.
    @Test func aMassDeletionThatArrivesOnceMoreIsRefusedAgain() async throws {
        try await withTestServer(massDeletions: standardDeletions) { server in
            let (device, meals) = (server.device(), (0..<20).map { _ in ID.random() })
            try await device.push(meals.map { .create("SDMeal", $0, at: moment(1)) })
            let deletions = meals.map { JSONValue.delete("SDMeal", $0, at: moment(2)) }
            #expect(Set(try await device.send(deletions).codes.values) == ["mass-deletion"])
            try await server.device().push((0..<60).map { _ in .create("SDMeal", .random(), at: moment(3)) })
            #expect(try await device.send(deletions).codes.count == 20)
            #expect(try await server.view("0.0.7")["SDMeal"]?.count == 80)
            // But its user may say that it was meant.
            let meant = try await device.send(deletions, intent: "mass-deletion")
            #expect(Set(meant.verdicts) == ["applied"])
            #expect(Set(try await device.send(deletions).codes.values) == ["mass-deletion"])
            #expect(try await server.view("0.0.7")["SDMeal"]?.count == 60)
        }
    }
}
