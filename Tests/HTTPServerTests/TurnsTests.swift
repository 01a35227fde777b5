import Testing

@testable import HTTPServer

/// The turns of requests: those that are worked on, and those that wait.
@Suite struct TurnsTests {
    private let greedy = Holder("greedy")
    private let modest = Holder("modest")
    private let start = ContinuousClock.now

    /// The turns of one test, mutable inside `#expect`.
    private final class Table {
        var turns = Turns<Int>(weightMax: 4, sharedWeightMax: 1)
        let start: ContinuousClock.Instant

        init(_ start: ContinuousClock.Instant) { self.start = start }

        func enters(_ waiter: Int, _ holder: Holder, weight: Int = 1, after milliseconds: Int = 0) -> Bool {
            turns.enter(waiter, weight: weight, for: holder, at: start + .milliseconds(milliseconds))
        }

        func leave(_ holder: Holder, weight: Int = 1, after milliseconds: Int = 0) -> [Int] {
            turns.leave(weight: weight, for: holder, at: start + .milliseconds(milliseconds))
        }
    }

    @Test func whoIsAloneHasAllTurnsAndWhoIsNotHasFew() {
        let table = Table(start)
        #expect((0..<6).map { table.enters($0, greedy) } == [true, true, true, true, false, false])
        // Another holder's request does not have to wait.
        #expect(table.enters(6, modest))
        // Requests in progress continue; waiting ones wait until only one is left.
        #expect((0..<3).flatMap { _ in table.leave(greedy) } == [])
        #expect(table.leave(greedy) == [4])
        #expect(table.leave(modest) == [])
        // This request comes after one of another holder, and so do the following ones for a second.
        #expect(!table.enters(7, greedy, after: 900))
        #expect(table.leave(greedy, after: 1_800) == [5])
        #expect(table.leave(greedy, after: 1_901) == [7])
        #expect(table.enters(8, greedy, after: 1_901))
    }

    @Test func theFirstIsWorkedOnWhateverItWeighs() {
        let table = Table(start)
        #expect(table.enters(0, modest, weight: 8))
        #expect(table.enters(1, greedy, weight: 8))
        #expect(!table.enters(2, greedy, weight: 8))
        #expect(table.leave(greedy, weight: 8) == [2])
    }
}
