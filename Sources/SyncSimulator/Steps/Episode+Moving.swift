import WireFormats

/// Moves of the space from one database to the other, while devices send requests.
extension Episode {
    /// The time between two attempts to read while no database serves the space, in microseconds.
    static let movingMicroseconds: UInt32 = 2_000
    /// The most requests that push during one move. With more, too many outcomes would be possible.
    private static let pushesMax = 24
    /// A move that is killed is killed within this time, in milliseconds. Most moves take a little longer.
    private static let killedWithinMilliseconds = 3_000
    /// One in this number of moves is killed.
    private static let killedMoves = 3

    /// Moves the space to the other database. From the switch on, devices push without a pause, because there a change
    /// could be lost, or stored in the wrong database.
    func move(using random: inout SplitMix64) async throws {
        let isKilled = random.below(Episode.killedMoves) == 0
        let killedAfter = Duration.milliseconds(random.below(Episode.killedWithinMilliseconds))
        let mover = try await site.beginMove(of: route.space, isAlone: random.below(2) == 0)
        self.mover = mover
        defer { self.mover = nil }
        let start = ContinuousClock.now
        var count = 0
        while mover.isRunning {
            if isKilled, ContinuousClock.now - start > killedAfter {
                mover.kill()
                break
            }
            let number = random.below(devices.count)
            guard mover.isSwitching, count < Episode.pushesMax, !isWaiting(number), isServed(devices[number].version)
            else {
                try await Task.sleep(for: .milliseconds(1))
                continue
            }
            if try sendDuringMove(request(.sync, of: number, using: &random)) { count += 1 }
        }
        try await site.endMove(mover, wasKilled: isKilled, isUndone: random.below(2) == 0)
    }

    /// Sends a request, which is refused and stores nothing while no database serves the space.
    ///
    /// - Returns: true if it was not refused.
    private func sendDuringMove(_ request: Request) throws -> Bool {
        guard areServed(request.changes ?? []) else { return true }
        // Reading is refused then, too.
        numbersBefore = nil
        if request.changes?.isEmpty == false {
            var random = SplitMix64(seed: UInt64(request.number))
            try? settleDoubts(using: &random)
            try? readNumbers(in: request.version)
        }
        tally.requests += 1
        let reply = try connection(request.device).exchange(request.bytes)
        if reply.status == ProblemCode.spaceMoving.status, code(of: reply) == .spaceMoving {
            numbersBefore = nil
            return false
        }
        // A device that has to begin anew would send more requests, which could be refused. It gets that answer later.
        try learn(reply, request, isGiven: reply.status == 200)
        return true
    }
}
