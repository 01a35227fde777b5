import Testing

@testable import PGStore
@testable import Postgres

@Suite struct PoolStateTests {
    /// A pool's state beside a plain account of who holds and who waits.
    private struct Walk {
        var state: PoolState<Int, Int>
        var leases: [Int?] = []
        var waiting: [Int] = []
        var nextWaiter = 0
        var nextResource = 0
        var isClosed = false

        mutating func take(_ grant: PoolState<Int, Int>.Grant) {
            switch grant {
            case .lend(let resource, _): leases.append(resource)
            case .open:
                nextResource += 1
                leases.append(nextResource)
            }
        }
    }

    private enum Step: CaseIterable {
        case request, giveBack, giveBackBroken, withdrawFirst, withdrawLast, close
    }

    private static let limits = PoolLimits(sessionsMax: 2, waitersMax: 2)

    /// Every sequence of eleven steps on a pool of two sessions and two waiters.
    @Test func noSequenceOfStepsBreaksTheBooks() {
        var count = 0
        explore(Walk(state: PoolState(limits: Self.limits)), stepsLeft: 11, &count)
        #expect(count > 50_000)
    }

    private func explore(_ walk: Walk, stepsLeft: Int, _ count: inout Int) {
        check(walk)
        count += 1
        if stepsLeft == 0 { return }
        for step in Step.allCases {
            var next = walk
            if perform(step, &next) { explore(next, stepsLeft: stepsLeft - 1, &count) }
        }
    }

    private func check(_ walk: Walk) {
        let counts = walk.state.counts
        let isRight =
            counts.leased == walk.leases.count && counts.waiting == walk.waiting.count
            && counts.open == counts.idle + counts.leased && counts.open <= Self.limits.sessionsMax
            && counts.waiting <= Self.limits.waitersMax
            // Nobody waits while a place is free.
            && (counts.waiting == 0 || counts.leased == Self.limits.sessionsMax)
            && (!walk.isClosed || counts.idle == 0 && counts.waiting == 0)
            // Nothing is lent twice.
            && Set(walk.leases.compactMap { $0 }).count == walk.leases.count
        if !isRight { Issue.record("\(walk)") }
    }

    /// - Returns: whether the step is possible here.
    private func perform(_ step: Step, _ walk: inout Walk) -> Bool {
        switch step {
        case .request:
            walk.nextWaiter += 1
            request(walk.nextWaiter, &walk)
        case .giveBack, .giveBackBroken:
            guard let resource = walk.leases.popLast() else { return false }
            let handover = walk.state.giveBack(step == .giveBack ? resource : nil, now: .zero)
            if walk.isClosed { #expect(handover.isDrained == walk.leases.isEmpty && handover.wake == nil) }
            guard let (waiter, grant) = handover.wake else { return true }
            #expect(waiter == walk.waiting.removeFirst())
            walk.take(grant)
        case .withdrawFirst, .withdrawLast:
            guard let waiter = step == .withdrawFirst ? walk.waiting.first : walk.waiting.last else { return false }
            #expect(walk.state.withdraw(waiter) && !walk.state.withdraw(waiter))
            walk.waiting.removeAll { $0 == waiter }
        case .close:
            if walk.isClosed { return false }
            let closing = walk.state.close()
            #expect(closing.turnedAway == walk.waiting && closing.isDrained == walk.leases.isEmpty)
            walk.waiting = []
            walk.isClosed = true
        }
        return true
    }

    private func request(_ waiter: Int, _ walk: inout Walk) {
        switch walk.state.request(by: waiter, now: .zero) {
        case .granted(let grant): walk.take(grant)
        case .wait: walk.waiting.append(waiter)
        case .refused(.poolClosed): if !walk.isClosed { Issue.record("\(walk)") }
        case .refused: if walk.waiting.count < Self.limits.waitersMax { Issue.record("\(walk)") }
        }
    }

    @Test func theWarmestSessionIsLentFirst() {
        var state = PoolState<String, Int>(limits: Self.limits)
        _ = state.request(by: 1, now: .zero)
        _ = state.request(by: 2, now: .zero)
        _ = state.giveBack("cold", now: .seconds(1))
        _ = state.giveBack("warm", now: .seconds(2))
        guard case .granted(.lend("warm", stale: false)) = state.request(by: 3, now: .seconds(3)) else {
            Issue.record("\(state)")
            return
        }
    }

    @Test func oneBrokenSessionMakesTheIdleOnesSuspect() {
        var state = PoolState<String, Int>(limits: Self.limits)
        _ = state.request(by: 1, now: .zero)
        _ = state.request(by: 2, now: .zero)
        _ = state.giveBack("idle", now: .seconds(1))
        _ = state.giveBack(nil, now: .seconds(1))
        guard case .granted(.lend("idle", stale: true)) = state.request(by: 3, now: .seconds(1)) else {
            Issue.record("\(state)")
            return
        }
    }

    @Test func onlyASessionThatLayIdleIsPinged() {
        let limits = PoolLimits(sessionsMax: 1, idleBeforePing: .seconds(30))
        for (idle, isStale) in [(Duration.seconds(30), false), (.seconds(31), true)] {
            var state = PoolState<String, Int>(limits: limits)
            _ = state.request(by: 1, now: .zero)
            _ = state.giveBack("session", now: .seconds(5))
            guard case .granted(.lend("session", isStale)) = state.request(by: 2, now: .seconds(5) + idle) else {
                Issue.record("\(state)")
                continue
            }
        }
    }
}
