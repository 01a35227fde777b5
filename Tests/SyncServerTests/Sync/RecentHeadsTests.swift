import Testing
import WireFormats

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

    /// However many spaces move, each is told its own head or none.
    @Test func noneIsTakenForAnother() {
        let spaces = (1...20_000 as ClosedRange<Int64>).map { (id: ID.random(), head: $0) }
        for space in spaces { heads.note(space.id, head: space.head) }
        let known = spaces.filter { heads.head(of: $0.id) != nil }
        #expect(known.allSatisfy { heads.head(of: $0.id) == $0.head })
        #expect(!known.isEmpty && known.count < spaces.count)
        #expect(heads.head(of: spaces.last!.id) == 20_000)
    }
}
