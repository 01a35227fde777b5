import DemoApps
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncEngine
@testable import SyncServer

@Suite struct RecentHeadsTests {
    private let heads = RecentHeads()

    @Test func theLastThatWasNotedIsKnown() {
        let space = ID.random()
        #expect(heads.head(of: space) == nil)
        heads.note(space, head: 7)
        heads.note(space, head: 9)
        #expect(heads.head(of: space) == 9)
        #expect(heads.head(of: .random()) == nil)
    }

    /// However many spaces move, each gets its own head or none.
    @Test func noneIsTakenForAnother() {
        let spaces = (1...20_000 as ClosedRange<Int64>).map { (id: ID.random(), head: $0) }
        for space in spaces { heads.note(space.id, head: space.head) }
        let known = spaces.filter { heads.head(of: $0.id) != nil }
        #expect(known.allSatisfy { heads.head(of: $0.id) == $0.head })
        #expect(!known.isEmpty && known.count < spaces.count)
        #expect(heads.head(of: spaces.last!.id) == 20_000)
    }

    /// After a push by this process a pull's first transaction is the page, so that what comes after that is not on
    /// it. The check can fail: an engine that has seen no push asks first for the space's head.
    @Test(arguments: [true, false])
    func aPullAfterAPushAsksNothing(hasSeenThePush: Bool) async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            let pulls = try #require(InterruptedPulls(server, version: "3.0.0"))
            let start = try await pulls.pull(limit: 10).cursor
            let change = JSONValue.create("Product", .random(), at: moment(1))
            if hasSeenThePush {
                try await pulls.push([change])
            } else {
                try await server.device("3.0.0").push([change])
            }
            let page = try await pulls.pull(after: start, limit: 10) {
                try await server.device("3.0.0").push([.create("Product", .random(), at: moment(2))])
            }
            await pulls.close()
            #expect(page.head == (hasSeenThePush ? 1 : 2))
        }
    }

    /// A database that was restored is behind what its server remembers.
    @Test func aHintFromBeforeARestoreIsForgotten() async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            let pulls = try #require(InterruptedPulls(server, version: "3.0.0"))
            try await pulls.push([.create("Product", .random(), at: moment(1))])
            let cursor = try await pulls.pull(limit: 10).cursor
            pulls.recentHeads.note(server.space, head: 1_000)
            #expect(try await pulls.pull(after: cursor, limit: 10).head == 1)
            #expect(pulls.recentHeads.head(of: server.space) == 1)
            await pulls.close()
        }
    }
}
