import SyncTestSupport
import Testing
import WireFormats

/// Unique values that change hands within one push: what counts is who holds them when all of it has been merged.
@Suite struct UniqueExchangeTests {
    private let a = ID.random()
    private let b = ID.random()
    private let c = ID.random()
    private let region = ID.random()

    /// A holds p1, B p2 and C p3; a region has none of them.
    private func withThree(_ body: (TestServer, TestDevice) async throws -> Void) async throws {
        try await withPlaces { server in
            let device = server.device("2.0.0")
            try await device.push([
                .create("Region", region, ["name": "r"], at: moment(1)),
                .create("Place", a, ["name": "a", "providerID": "p1"], at: moment(1)),
                .create("Place", b, ["name": "b", "providerID": "p2"], at: moment(1)),
                .create("Place", c, ["name": "c", "providerID": "p3"], at: moment(1)),
            ])
            try await body(server, device)
        }
    }

    private func take(_ id: ID, _ value: String, at time: Int64 = 2) -> JSONValue {
        .update("Place", id, ["providerID": .string(value)], at: moment(time))
    }

    /// The values that A, B and C hold; empty where there is no such record.
    private func held(_ server: TestServer) async throws -> [String] {
        let places = try await server.view("2.0.0")["Place"] ?? [:]
        return [a, b, c].map { places[$0.description]?["providerID"]?.string ?? "" }
    }

    @Test func twoRecordsSwapTheirValuesInOnePush() async throws {
        try await withThree { server, device in
            let answer = try await device.push([take(a, "p2"), take(b, "p1")])
            #expect(answer.verdicts == ["applied", "applied"])
            #expect(try await held(server) == ["p2", "p1", "p3"])
            // A retry of all of it finds everything as it said.
            #expect(try await device.send([take(a, "p2"), take(b, "p1")]).verdicts == ["unchanged", "unchanged"])
        }
    }

    @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func eachTakesTheNextOnesValueInAnyOrder(order: [Int]) async throws {
        try await withThree { server, device in
            let changes = [take(a, "p2"), take(b, "p3"), take(c, "p4")]
            let answer = try await device.push(order.map { changes[$0] })
            #expect(answer.verdicts == ["applied", "applied", "applied"])
            #expect(try await held(server) == ["p2", "p3", "p4"])
        }
    }

    @Test(arguments: [[0, 1], [1, 0]])
    func aValueGoesFromADeletedRecordToAnotherInEitherOrder(order: [Int]) async throws {
        try await withThree { server, device in
            let changes: [JSONValue] = [.delete("Place", a, at: moment(2)), take(b, "p1")]
            let answer = try await device.push(order.map { changes[$0] })
            #expect(answer.verdicts == ["applied", "applied"])
            let places = try await held(server)
            #expect(places == ["", "p1", "p3"])
            // And to one that is new.
            let more: [JSONValue] = [
                .delete("Place", b, at: moment(3)),
                .create("Place", ID.random(), ["name": "d", "providerID": "p1"], at: moment(3)),
            ]
            let new = try await device.push(order.map { more[$0] })
            #expect(new.verdicts == ["applied", "applied"])
        }
    }

    @Test func aValueThatIsTakenAndGivenUpAgainIsNobodysLoss() async throws {
        try await withThree { server, device in
            let answer = try await device.push([
                .update("Place", a, ["providerID": "p2", "label": "kept"], at: moment(2)), take(a, "p4", at: 3),
            ])
            #expect(answer.verdicts == ["applied", "applied"])
            #expect(try await held(server) == ["p4", "p2", "p3"])
            #expect(try await server.view("2.0.0")["Place"]?[a.description]?["label"] == "kept")
        }
    }

    /// A value that its holder cannot give up is not free for the records that wait for it; no other is affected.
    @Test func aChainThatCannotEndIsRejectedFromItsEnd() async throws {
        try await withThree { server, device in
            let (d, e, f) = (ID.random(), ID.random(), ID.random())
            try await server.device("2.0.0").push([
                .create("Place", d, ["name": "d", "providerID": "p5"], at: moment(1)),
                .create("Place", e, ["name": "e", "providerID": "p6"], at: moment(1)),
                .create("Place", f, ["name": "f", "providerID": "p7"], at: moment(1)),
            ])
            let answer = try await device.push([
                take(a, "p2"), take(b, "p3"), take(c, "p5"), take(e, "p7"), take(f, "p6"),
                .update("Place", a, ["name": "A"], at: moment(3)),
            ])
            let rejected = "rejected"
            #expect(answer.verdicts == [rejected, rejected, rejected, "applied", "applied", "applied"])
            #expect(answer.codes == [0: "unique", 1: "unique", 2: "unique"])
            #expect(answer.holders == [0: b.description, 1: c.description, 2: d.description])
            #expect(try await held(server) == ["p1", "p2", "p3"])
        }
    }

    @Test func ofTwoWhoAskForWhatIsGivenUpTheLaterIsRejected() async throws {
        try await withThree { server, device in
            let answer = try await device.push([take(b, "p1"), take(c, "p1"), take(a, "p4"), take(c, "p5", at: 3)])
            // C has thought better of it.
            #expect(answer.verdicts == ["applied", "applied", "applied", "applied"])
            #expect(try await held(server) == ["p4", "p1", "p5"])
            let again = try await device.push([take(a, "p1", at: 4), take(c, "p1", at: 4), take(b, "p6", at: 4)])
            #expect(again.verdicts == ["applied", "rejected", "applied"])
            #expect(again.holders == [1: a.description])
            #expect(try await held(server) == ["p1", "p6", "p5"])
        }
    }

    /// It costs a few times what a push costs, and not a round for each, which would be hours.
    @Test(.timeLimit(.minutes(30))) func aPushOfNothingButConflictsIsJudgedAtOnce() async throws {
        try await withThree { server, device in
            let ids = (0..<5_000).map { _ in ID.random() }
            for part in stride(from: 0, to: ids.count, by: 2_500) {
                try await device.send(
                    ids[part..<part + 2_500].enumerated().map { place, id in
                        .create("Place", id, ["name": "n", "providerID": .string("q\(part + place)")], at: moment(1))
                    })
            }
            // A chain of which the end cannot have what it asks for.
            let chain = ids.indices.map { place in
                take(ids[place], place == ids.count - 1 ? "p1" : "q\(place + 1)")
            }
            #expect(try await device.send(chain).codes.count == chain.count)
            #expect(try await device.send(chain.reversed()).codes.count == chain.count)
            // One record that asks for what others have, again and again.
            let asking = ids.indices.map { take(a, "q\($0)", at: 2 + Int64($0)) }
            #expect(try await device.send(asking).codes.count == asking.count)
            #expect(try await held(server) == ["p1", "p2", "p3"])
        }
    }

    /// A goes with its region, so it holds nothing until that is back.
    @Test(arguments: [[0, 1], [1, 0]]) func aFallenRecordHoldsNothingInAPushThatNamesIt(order: [Int]) async throws {
        try await withThree { server, device in
            try await device.push([.update("Place", a, ["region": .id(region)], at: moment(2))])
            try await device.push([.delete("Region", region, at: moment(3))])
            let changes: [JSONValue] = [
                .update("Place", a, ["name": "A"], at: moment(4)),
                .create("Place", ID(high: 1, low: 1), ["name": "d", "providerID": "p1"], at: moment(4)),
            ]
            let answer = try await device.push(order.map { changes[$0] })
            #expect(answer.codes == [:])
            #expect(try await held(server) == ["", "p2", "p3"])
            // A record restored with its parent keeps what it held; the next who asks is refused.
            try await device.push([.create("Region", region, ["name": "r"], at: moment(5))])
            #expect(try await held(server) == ["p1", "p2", "p3"])
            #expect(try await device.push([take(b, "p1", at: 6)]).codes == [0: "unique"])
        }
    }

    /// A is not named by the push: it goes with its region, and its value is free at once.
    @Test(arguments: [[0, 1], [1, 0]]) func whatGoesWithWhatThePushDeletesHoldsNothing(order: [Int]) async throws {
        try await withThree { server, device in
            try await device.push([.update("Place", a, ["region": .id(region)], at: moment(2))])
            let changes: [JSONValue] = [.delete("Region", region, at: moment(3)), take(b, "p1", at: 3)]
            let answer = try await device.push(order.map { changes[$0] })
            #expect(answer.codes == [:])
            #expect(try await held(server) == ["", "p1", "p3"])
        }
    }

    /// One that is back with its region holds what it held, from those of the same push too.
    @Test func whatComesBackWithWhatThePushCreatesHoldsItsValue() async throws {
        try await withThree { server, device in
            try await device.push([.update("Place", a, ["region": .id(region)], at: moment(2))])
            try await device.push([.delete("Region", region, at: moment(3))])
            let answer = try await device.push([
                take(b, "p1", at: 4), .create("Region", region, ["name": "r"], at: moment(4)),
            ])
            #expect(answer.codes == [0: "unique"] && answer.holders == [0: a.description])
            #expect(try await held(server) == ["p1", "p2", "p3"])
        }
    }

    /// A record that is dead on arrival holds no value either.
    @Test func aRecordThatArrivesAfterItsRegionIsDeletedHoldsNothing() async throws {
        try await withThree { server, device in
            try await device.push([.delete("Region", region, at: moment(3))])
            let answer = try await device.push([
                .create("Place", .random(), ["name": "d", "providerID": "p4", "region": .id(region)], at: moment(4)),
                take(a, "p4", at: 4),
            ])
            #expect(answer.codes == [:])
            #expect(try await held(server) == ["p4", "p2", "p3"])
        }
    }
}
