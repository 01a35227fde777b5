import Testing

@testable import PGStore
@testable import Postgres

@Suite struct PoolStateTests {
    /// A pool's state beside a plain account of who holds and who waits.
    private struct Path {
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
        explore(Path(state: PoolState(limits: Self.limits)), stepsLeft: 11, &count)
        #expect(count > 50_000)
    }

    private func explore(_ path: Path, stepsLeft: Int, _ count: inout Int) {
        check(path)
        count += 1
        if stepsLeft == 0 { return }
        for step in Step.allCases {
            var next = path
            if perform(step, &next) { explore(next, stepsLeft: stepsLeft - 1, &count) }
        }
    }

    private func check(_ path: Path) {
        let counts = path.state.counts
        let isRight =
            counts.leased == path.leases.count && counts.waiting == path.waiting.count
            && counts.open == counts.idle + counts.leased && counts.open <= Self.limits.sessionsMax
            && counts.waiting <= Self.limits.waitersMax
            // Nobody waits while a slot is free.
            && (counts.waiting == 0 || counts.leased == Self.limits.sessionsMax)
            && (!path.isClosed || counts.idle == 0 && counts.waiting == 0)
            // Nothing is lent twice.
            && Set(path.leases.compactMap { $0 }).count == path.leases.count
        if !isRight { Issue.record("\(path)") }
    }

    /// - Returns: whether the step is possible here.
    private func perform(_ step: Step, _ path: inout Path) -> Bool {
        switch step {
        case .request:
            path.nextWaiter += 1
            request(path.nextWaiter, &path)
        case .giveBack, .giveBackBroken:
            guard let resource = path.leases.popLast() else { return false }
            let handover = path.state.giveBack(step == .giveBack ? resource : nil, now: .zero)
            if path.isClosed { #expect(handover.isDrained == path.leases.isEmpty && handover.wake == nil) }
            guard let (waiter, grant) = handover.wake else { return true }
            #expect(waiter == path.waiting.removeFirst())
            path.take(grant)
        case .withdrawFirst, .withdrawLast:
            guard let waiter = step == .withdrawFirst ? path.waiting.first : path.waiting.last else { return false }
            #expect(path.state.withdraw(waiter) && !path.state.withdraw(waiter))
            path.waiting.removeAll { $0 == waiter }
        case .close:
            if path.isClosed { return false }
            let closing = path.state.close()
            #expect(closing.turnedAway == path.waiting && closing.isDrained == path.leases.isEmpty)
            path.waiting = []
            path.isClosed = true
        }
        return true
    }

    private func request(_ waiter: Int, _ path: inout Path) {
        switch path.state.request(by: waiter, now: .zero) {
        case .granted(let grant): path.take(grant)
        case .wait: path.waiting.append(waiter)
        case .refused(.poolClosed): if !path.isClosed { Issue.record("\(path)") }
        case .refused: if path.waiting.count < Self.limits.waitersMax { Issue.record("\(path)") }
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
