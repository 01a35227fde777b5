import OpenID
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// The whole way of two people, with tokens of a real identity provider: what docs/tour.md shows.
@Suite(.enabled(if: PythonTools.areThere)) struct SignInFlowTests {
    @Test(arguments: ["RS256", "ES256", "EdDSA"])
    func twoPeopleShareASpaceAndPartAgain(algorithm: String) async throws {
        let provider = OpenIDProvider()
        try await provider.start(algorithm)
        do {
            let file = try IdentityFile(await provider.file(prefix: "pantry:").bytes)
            try await withTestServer(policy: RequestPolicy(providers: IdentityProviders(file))) { server in
                try await run(server, provider)
            }
        } catch {
            await provider.stop()
            throw error
        }
        await provider.stop()
    }

    private func run(_ server: TestServer, _ provider: OpenIDProvider) async throws {
        // Both sign in.
        let anna = Person("pantry:anna", server, token: try await provider.token(for: "anna"))
        let bela = Person("pantry:bela", server, token: try await provider.token(for: "bela"))
        // One makes a space and invites the other.
        let space = try await anna.makeSpace()
        try await anna.bring(bela, to: space)
        let members = try await anna.request("GET", "spaces/\(space)/members").json["members"].elements
        #expect(members.map { $0["subject"] } == ["pantry:anna", "pantry:bela"])
        // Both edit, at two versions, and see what the other did.
        let (old, new) = (anna.device("0.0.8", in: "\(space)"), bela.device("0.1.1", in: "\(space)"))
        let meal = ID.random()
        try await old.push([.create("SDMeal", meal, ["notes": "anna's"], at: moment(1))])
        try await new.pullAll()
        #expect(await new.store["SDMeal"]?[meal.description]?["notes"] == "anna's")
        try await new.push([.update("SDMeal", meal, ["notes": "bela's"], at: moment(2))])
        try await old.pullAll()
        #expect(await old.store["SDMeal"]?[meal.description]?["notes"] == "bela's")
        // One is removed. Its device learns it: the stream ends, and the next request says why.
        let reader = try await server.listen(space: space, token: bela.token)
        #expect(try await reader.next() != nil)
        #expect(try await anna.request("DELETE", "spaces/\(space)/members/pantry:bela").status == 204)
        try await server.service.reviewEvents()
        #expect(await reader.ends())
        // Its server remembers what the token allowed for 5 s at most.
        try await eventually("bela is told") { try await bela.status(in: space).isProblem(403, "not-a-member") }
        #expect(try await anna.status(in: space).status == 200)
        // The space is erased, with a receipt that says what there was.
        let receipt = try await anna.request("DELETE", "spaces/\(space)")
        #expect(receipt.status == 200)
        #expect(receipt.json["rows"]["fitiq.sd_meal"] == 1 && receipt.json["rows"]["sync.member"] == 1)
        #expect(try await anna.status(in: space).isProblem(403, "not-a-member"))
        #expect(try await anna.request("GET", "spaces").json["spaces"] == [])
    }
}
