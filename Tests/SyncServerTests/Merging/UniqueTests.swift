import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// No two living records of a space hold what the newest version calls unique, whatever version writes.
@Suite struct UniqueTests {
    private let first = ID.random()
    private let second = ID.random()

    private func stored(_ server: TestServer, _ id: ID, _ attribute: String) async throws -> JSONValue? {
        try await server.view("2.0.0")["Place"]?[id.description]?[attribute]
    }

    @Test("S5_02: adding the same place again is refused with the id of the first, which keeps its label")
    func theLaterCreationIsRefusedAndReturnsTheHolder() async throws {
        try await withPlaces { server in
            let phone = server.device("2.0.0")
            try await phone.push([
                .create("Place", first, ["name": "Bakery", "providerID": "p1", "label": "mine"], at: moment(1))
            ])
            // The tablet lost its store, and its user adds the place again; an older version is bound by it as well.
            for version in ["2.0.0", "1.0.0"] {
                let tablet = server.device(version)
                let create = JSONValue.create("Place", second, ["name": "Baker", "providerID": "p1"], at: moment(2))
                let answer = try await tablet.send([create])
                #expect(answer.codes == [0: "unique"])
                #expect(answer.holders == [0: first.description])
                // It is as terminal the second time.
                #expect(try await tablet.send([create]).codes == [0: "unique"])
                // The user's edit goes to the one that there is.
                try await tablet.pullAll()
                let edit = try await tablet.push([.update("Place", first, ["name": "Baker"], at: moment(3))])
                #expect(edit.verdicts.allSatisfy { $0 != "rejected" })
            }
            #expect(try await server.view("2.0.0")["Place"]?.count == 1)
            #expect(try await stored(server, first, "label") == "mine")
            #expect(try await stored(server, first, "name") == "Baker")
        }
    }

    /// H8: its device has informed its user, and dropped it.
    @Test func aValueThatWasTakenIsRefusedOnceMoreThoughItIsFreeNow() async throws {
        try await withPlaces { server in
            let (device, other) = (server.device("2.0.0"), server.device("2.0.0"))
            try await other.push([.create("Place", first, ["name": "a", "providerID": "p1"], at: moment(1))])
            let change = JSONValue.create("Place", second, ["name": "b", "providerID": "p1"], at: moment(2))
            #expect(try await device.send([change]).codes == [0: "unique"])
            try await other.push([.delete("Place", first, at: moment(3))])
            let again = try await device.send([change])
            #expect(again.codes == [0: "unique"] && again.holders == [0: first.description])
            #expect(try await stored(server, second, "name") == nil)
            // Another edit is another change.
            let later = JSONValue.create("Place", second, ["name": "b", "providerID": "p1"], at: moment(4))
            #expect(try await device.send([later]).verdicts == ["applied"])
        }
    }

    @Test func aRejectedEditLeavesTheRecordAndItsBatchAlone() async throws {
        try await withPlaces { server in
            let device = server.device("2.0.0")
            let answer = try await device.push([
                .create("Place", first, ["name": "a", "providerID": "p1"], at: moment(1)),
                .create("Place", second, ["name": "b", "providerID": "p2"], at: moment(2)),
                .update("Place", second, ["name": "c", "providerID": "p1"], at: moment(3)),
                .update("Place", second, ["label": "d"], at: moment(4)),
            ])
            #expect(answer.verdicts == ["applied", "applied", "rejected", "applied"])
            #expect(try await stored(server, second, "name") == "b")
            #expect(try await stored(server, second, "providerID") == "p2")
            #expect(try await stored(server, second, "label") == "d")
        }
    }

    @Test func aValueIsFreeOnceItsHolderGaveItUpOrIsDeleted() async throws {
        try await withPlaces { server in
            let device = server.device("2.0.0")
            let third = ID.random()
            try await device.push([
                .create("Place", first, ["name": "a", "providerID": "p1", "number": 1], at: moment(1))
            ])
            // In one push: what one gives up the next may take.
            let exchange = try await device.push([
                .update("Place", first, ["providerID": "p2"], at: moment(2)),
                .create("Place", second, ["name": "b", "providerID": "p1"], at: moment(3)),
                .create("Place", third, ["name": "c", "number": 1], at: moment(3)),
            ])
            #expect(exchange.verdicts == ["applied", "applied", "rejected"])
            try await device.push([.delete("Place", first, at: moment(4))])
            let taken = try await device.push([
                .create("Place", third, ["name": "c", "providerID": "p2", "number": 1], at: moment(5))
            ])
            #expect(taken.verdicts == ["applied"])
            // The dead one may not come back with what another holds now. Who has not read its deletion says nothing
            // of what it leaves out.
            let unaware = server.device("2.0.0")
            let back = try await unaware.push([.create("Place", first, ["name": "a"], at: moment(6))])
            #expect(back.codes == [0: "unique"])
            #expect(try await stored(server, first, "name") == nil)
        }
    }

    @Test func nullIsNoValueAndAnotherSpaceIsAnotherMatter() async throws {
        try await withPlaces { server in
            let other = ID.random()
            let token = try await server.makeToken(app: "places", spaces: [other])
            let device = server.device("2.0.0")
            let create = JSONValue.create("Place", first, ["name": "a", "providerID": "p1"], at: moment(1))
            #expect(try await device.push([create]).verdicts == ["applied"])
            #expect(
                try await server.device("2.0.0", space: other, token: token).push([create]).verdicts == ["applied"])
            let nulls = try await device.push([
                .create("Place", second, ["name": "b"], at: moment(1)),
                .create("Place", .random(), ["name": "c", "providerID": nil], at: moment(1)),
            ])
            #expect(nulls.verdicts == ["applied", "applied"])
            // A retry of the holder's own creation is none of two.
            #expect(try await device.push([create]).verdicts == ["unchanged"])
        }
    }

    @Test("S3_05: records that were equal before an attribute became unique stay, and are not stuck")
    func whatWasEqualBeforeStays() async throws {
        try await withPlaces { server in
            let device = server.device("1.0.0")
            try await device.push([
                .create("Place", first, ["name": "a", "providerID": "p1"], at: moment(1)),
                .create("Place", second, ["name": "b", "providerID": "p2"], at: moment(1)),
            ])
            // As a server of version 1.0.0 left it.
            let session = try await Session.open(server.database.superuserConnectionString)
            _ = try await session.execute(Command("UPDATE places.place SET provider_id = 'p1'"))
            await session.close()
            let edits = try await device.push([
                .update("Place", first, ["name": "c"], at: moment(2)),
                .update("Place", second, ["name": "d", "providerID": "p1"], at: moment(2)),
            ])
            #expect(edits.verdicts == ["applied", "applied"])
            #expect(try await server.view("2.0.0")["Place"]?.count == 2)
        }
    }
}
