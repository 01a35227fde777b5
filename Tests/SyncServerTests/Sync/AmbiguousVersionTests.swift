import DemoApps
import SyncTestSupport
import Testing
import WireFormats

/// A number alone, of which there are several shapes, from a client that has one of the others: refusing its changes
/// for good would lose what its user did.
@Suite struct AmbiguousVersionTests {
    private let meal = ID.random()
    private let other = ID.random()

    private func post(
        _ changes: [JSONValue], to action: String = "changes", _ version: String?, _ server: TestServer
    ) async throws -> TestReply {
        try await server.client().request(
            "POST", server.path(action), headers: server.headers(changing: ["Schema-Version": version]),
            body: JSONValue.object(["changes": .array(changes)]).bytes)
    }

    private func expectRefused(_ reply: TestReply, shapes: [Int], of plan: Plan) {
        #expect(reply.status == 409 && reply.json["code"] == "schema-ambiguous", "\(reply)")
        let names = shapes.map { "\(plan.shapes[$0].version);fp=\(plan.shapes[$0].fingerprint)" }
        #expect(reply.json["known"].elements.map(\.string) == names)
        #expect(reply.json["detail"].string?.contains("fingerprint") == true, "\(reply)")
        #expect(reply["retry-after"] != nil)
    }

    @Test(arguments: ["changes", "sync"])
    func aNumberAloneThatMayMeanAnotherShapeIsRefusedAndStoresNothing(action: String) async throws {
        try await withTestServer { server in
            let before = try await server.contents()
            let changes: [JSONValue] = [
                .create("SDMeal", other, ["notes": "kept"], at: moment(1)),
                .create("SDMeal", meal, ["name": "Soup", "notes": 7], at: moment(1)),
            ]
            let reply = try await post(changes, to: action, "0.1.0", server)
            expectRefused(reply, shapes: [9, 11], of: server.plan)
            #expect(try await server.contents() == before)
            // The other shape takes it, but for what no shape takes.
            let stated = try #require(reply.json["known"].elements.last?.string)
            let taken = try await post(changes, to: action, stated, server)
            #expect(taken.json["results"].elements.map { $0["code"] } == ["wrong-type"])
        }
    }

    @Test func aChangesOwnNumberAloneIsRefusedLikeTheRequests() async throws {
        try await withTestServer { server in
            let changes: [JSONValue] = [
                .update("SDMeal", other, ["notes": "kept"], at: moment(1)),
                .update("SDMealLogItem", meal, ["proteinG": 7], at: moment(1), in: "0.1.0"),
            ]
            let before = try await server.contents()
            expectRefused(try await post(changes, "0.1.1", server), shapes: [9, 11], of: server.plan)
            #expect(try await server.contents() == before)
        }
    }

    /// KeepTrack's store from before there were versions calls its goals as later versions do, and not as 0.0.0 does.
    @Test(arguments: ["0.0.0", nil]) func anEntityMayShowThatItIsAnotherShape(version: String?) async throws {
        try await withTestServer(KeepTrackPlan.self) { server in
            let shapes = server.plan.shapes.indices.filter { server.plan.version(of: $0) == 0 }
            let reply = try await post([.update("SDGoal", meal, ["name": "Water"], at: moment(1))], version, server)
            expectRefused(reply, shapes: shapes, of: server.plan)
        }
    }

    @Test func aClientWithAFingerprintReceivesTheUnknownAttribute() async throws {
        try await withTestServer { server in
            let restored = "0.1.0;fp=\(server.plan.shapes[9].fingerprint)"
            let strange = JSONValue.update("SDMeal", meal, ["name": "Soup"], at: moment(1))
            for version in [restored, "0.1.1"] {
                let reply = try await post([strange], version, server)
                #expect(reply.json["results"].elements.map { $0["code"] } == ["unknown-attribute"])
            }
            let own = JSONValue.update("SDMeal", meal, ["name": "Soup"], at: moment(1), in: restored)
            let reply = try await post([own], "0.1.0", server)
            #expect(reply.json["results"].elements.map { $0["code"] } == ["unknown-attribute"])
        }
    }

    @Test func whatNoShapeOfTheNumberHasIsRejectedByItself() async throws {
        try await withTestServer { server in
            let changes: [JSONValue] = [
                .update("SDMeal", meal, ["colour": "red"], at: moment(1)),
                .update("SDDream", meal, ["name": "Soup"], at: moment(1)),
                .update("SDMeal", meal, ["notes": "kept"], at: moment(1)),
            ]
            let reply = try await post(changes, "0.1.0", server)
            #expect(reply.json["results"].elements.map { $0["code"] } == ["unknown-attribute", "unknown-entity"])
        }
    }
}
