import SyncTestSupport
import Testing
import WireFormats

/// Tests of edits in vain: their device receives that, and the current value, whatever else was in the push.
@Suite struct VainEditTests {
    private let id = ID.random()

    /// The edit says what another device has made of the record by then, which its own has not read.
    @Test(arguments: ["update", "create"])
    func anEditOfWhatItsPushDeletesIsSupersededAndReported(operation: String) async throws {
        try await withTestServer { server in
            let (device, other) = (server.device(), server.device())
            try await other.push([.create("SDMeal", id, ["notes": "a"], at: moment(1))])
            try await device.pullAll()
            try await other.push([.update("SDMeal", id, ["notes": "b"], at: moment(2))])
            let stamp = moment(operation == "update" ? 4 : 2)
            let edit = JSONValue.update("SDMeal", id, ["notes": "b"], at: stamp).with("op", .string(operation))
            let changes = [JSONValue.delete("SDMeal", id, at: moment(3)), edit]
            #expect(try await device.push(changes).verdicts == ["applied", "superseded"])
            let received = try await device.pullAll()
            #expect(received.map { $0["op"] } == ["delete"] && received.first?["id"] == .id(id))
            // A retry is one.
            #expect(try await device.send(changes).verdicts == ["unchanged", "unchanged"])
            #expect(try await server.view("0.1.1")["SDMeal"]?[id.description] == nil)
        }
    }

    /// It holds its last edit: nobody need send it.
    @Test func aDeviceThatDeletesWhatItEditedReceivesNothing() async throws {
        try await withTestServer { server in
            let (device, other) = (server.device(), server.device())
            try await other.push([.create("SDMeal", id, ["notes": "a"], at: moment(1))])
            try await device.pullAll()
            try await other.push([.update("SDMeal", id, ["notes": "b"], at: moment(2))])
            let changes = [
                JSONValue.update("SDMeal", id, ["notes": "b"], at: moment(3)), .delete("SDMeal", id, at: moment(4)),
            ]
            #expect(try await device.push(changes).verdicts == ["superseded", "applied"])
            #expect(try await device.pullAll().isEmpty)
        }
    }

    /// The reference reads as null, because its target is not there; but a device that leaves out what was in vain
    /// shows what its creation said.
    @Test func aDeviceThatLosesAgainstItsOwnCreationReceivesTheCurrentValue() async throws {
        try await withTestServer { server in
            let (device, preferences) = (server.device(), ID.random())
            try await device.pullAll()
            let name = "dietaryAndActivityPreferences"
            let answer = try await device.push([
                .create("SDUserProfileV11", id, [name: .id(preferences)], at: nil),
                .update("SDUserProfileV11", id, [name: nil], at: moment(1)),
            ])
            #expect(answer.verdicts == ["applied", "superseded"])
            let received = try await device.pullAll()
            #expect(received.count == 1 && received.first?["fields"][name] == .null)
        }
    }
}
