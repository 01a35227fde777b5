import WireFormats

/// When somebody's role in a space can have become another, of late.
struct FleetTurns {
    private var turns: [Turn] = []

    private struct Turn {
        let space: ID
        /// `nil`: everybody's.
        let subject: Subject?
        let from: ContinuousClock.Instant
        let to: ContinuousClock.Instant
    }

    mutating func note(_ events: [ID: [SpaceEvent]]) {
        for (space, events) in events {
            for event in events {
                guard let subject = event.touched else { continue }
                turns.append(Turn(space: space, subject: subject, from: event.from, to: event.to))
            }
        }
    }

    func mayHaveTurned(
        _ subject: Subject, in space: ID, since from: ContinuousClock.Instant, to: ContinuousClock.Instant
    ) -> Bool {
        turns.contains { turn in
            turn.space == space && (turn.subject == nil || turn.subject == subject) && turn.from <= to
                && turn.to >= from
        }
    }

    mutating func forget(before time: ContinuousClock.Instant) {
        turns.removeAll { $0.to < time }
    }
}
