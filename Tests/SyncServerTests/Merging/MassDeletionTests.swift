import SyncTestSupport
import Testing
import WireFormats

/// A wiped store is not a deletion: one push that deletes much of its space must say that it means to.
@Suite struct MassDeletionTests {
    private let ids = (0..<50).map { _ in ID.random() }

    private func filled(_ body: (TestServer) async throws -> Void) async throws {
        try await withTestServer { server in
            try await server.device().push(ids.map { .create("SDMeal", $0, ["notes": "n"], at: moment(1)) })
            try await body(server)
        }
    }

    private func deletions(_ count: Int) -> [JSONValue] {
        ids.prefix(count).map { .delete("SDMeal", $0, at: moment(2)) }
    }

    @Test("S5_01: what looks like a wiped store is refused, and the rest of its batch goes on")
    func whatLooksLikeAWipedStoreIsRefusedAndTheRestOfItsBatchGoesOn() async throws {
        try await filled { server in
            let kept = JSONValue.update("SDMeal", ids[49], ["notes": "kept"], at: moment(2))
            let answer = try await server.device().send(deletions(26) + [kept])
            #expect(Set(answer.codes.values) == ["mass-deletion"] && answer.codes.count == 26)
            #expect(answer.verdicts[26] == "applied")
            #expect(try await server.view("0.1.1")["SDMeal"]?.count == 50)
            #expect(try await server.view("0.1.1")["SDMeal"]?[ids[49].description]?["notes"] == "kept")
            // The retry is refused alike.
            #expect(try await server.device().send(deletions(26)).codes.count == 26)
        }
    }

    /// Known to the server as what it was.
    @Test func whatWasJudgedBeforeStaysAsItWasAmongMany() async throws {
        try await filled { server in
            let device = server.device()
            #expect(try await device.send(deletions(1)).verdicts == ["applied"])
            try await device.push([.create("SDMeal", ids[0], at: moment(3))])
            let later = ids.prefix(26).map { JSONValue.delete("SDMeal", $0, at: moment(4)) }
            let answer = try await device.send(deletions(1) + later)
            #expect(answer.verdicts[0] == "superseded" && answer.codes.count == 26)
        }
    }

    @Test func halfOfTheSpaceIsAllowedAndSoIsAllOfItWithIntent() async throws {
        try await filled { server in
            let device = server.device()
            #expect(try await device.send(deletions(25)).verdicts.allSatisfy { $0 == "applied" })
            // What is dead already counts for nothing.
            #expect(try await device.send(deletions(25)).verdicts.allSatisfy { $0 == "unchanged" })
            #expect(try await device.send(deletions(50)).codes.count == 25)
            let meant = try await device.send(deletions(50), intent: "mass-deletion")
            #expect(meant.verdicts.suffix(25).allSatisfy { $0 == "applied" })
            #expect(try await server.view("0.1.1")["SDMeal"] == [:])
        }
    }

    @Test func aSmallSpaceIsEmptiedByHand() async throws {
        try await withTestServer { server in
            let device = server.device()
            try await device.push(ids.prefix(19).map { .create("SDMeal", $0, at: moment(1)) })
            #expect(try await device.send(deletions(19)).verdicts.allSatisfy { $0 == "applied" })
        }
    }

    @Test func anIntentThatIsNoneIsMalformed() async throws {
        try await withTestServer { server in
            for intent: JSONValue in ["delete", 1, .object([:])] {
                let reply = try await server.send(
                    "POST", body: JSONValue.object(["changes": [], "intent": intent]).bytes)
                #expect(reply.isProblem(400, "malformed"), "\(reply)")
            }
        }
    }
}
