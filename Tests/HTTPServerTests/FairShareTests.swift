import Testing

@testable import HTTPServer

struct FairShareTests {
    @Test func oneTakesItsShareAndAllTheLimit() {
        var budget = FairShare<String>(limit: 10, share: 4)
        let asked = [(4, "a"), (1, "a"), (5, "b"), (4, "b"), (3, "c"), (2, "c")]
        let answers = asked.map { budget.take($0.0, for: $0.1) }
        #expect(answers == [nil, .share, .share, nil, .limit, nil])
        #expect(budget.taken == 10)
        budget.giveBack(4, for: "a")
        #expect(budget.excess(of: 4, for: "a") == nil && budget.excess(of: 3, for: "c") == .share)
        budget.takeAnyway(20, for: "a")
        #expect(budget.taken == 26 && budget.excess(of: 1, for: "d") == .limit)
    }

    @Test func turnsGoRoundInOrder() {
        var turns = Turns<Int>(weightMax: 4, sharedWeightMax: 4)
        let (a, b) = (Holder("a"), Holder("b"))
        // The third would fit, but must not overtake the others.
        let entries = [(1, 3, a), (2, 3, a), (3, 1, a), (4, 1, b)]
        let isFirst = entries.map { turns.enter($0.0, weight: $0.1, for: $0.2) }
        #expect(isFirst == [true, false, false, true])
        let next = [3, 1, 3].map { turns.leave(weight: $0, for: a) }
        #expect(next == [[2, 3], [], []])
        // One request is always worked on, whatever its weight.
        let isHeavyFirst = [9, 1].map { turns.enter($0, weight: $0, for: a) }
        #expect(isHeavyFirst == [true, false])
        let last = turns.leave(weight: 9, for: a)
        #expect(last == [1])
    }
}
