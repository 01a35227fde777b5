import SyncEngine

/// When `serve` collects tombstones in the background.
package struct CollectionSchedule: Sendable {
    /// How old a tombstone must be.
    package let age: Duration
    /// How long to wait after a collection, give or take a tenth, so that processes do not keep step.
    package let interval: Duration

    /// Marks are a day apart; a few looks a day find each soon, and a look at a space where nothing is due is cheap.
    package static let intervalDefault = Duration.seconds(6 * 3600)
    /// The rest after each transaction: requests to a space never wait for more than one.
    package static let pause = Duration.milliseconds(20)

    package init(age: Duration = Collector.ageDefault, interval: Duration = intervalDefault) {
        self.age = age
        self.interval = interval
    }

    /// Soon, because a process may not live for a whole interval; not at once, when all processes start together.
    func firstWait() -> Duration { interval * Double.random(in: 0...0.1) }

    func nextWait() -> Duration { interval * Double.random(in: 0.9...1.1) }
}
