import SyncEngine

/// The schedule by which `serve` collects tombstones in the background.
package struct CollectionSchedule: Sendable {
    /// The minimum age of a tombstone that is collected.
    package let age: Duration
    /// The time between two collections, give or take a tenth, so that processes do not run at the same time.
    package let interval: Duration

    /// The default time between two collections of tombstones (the marks of deleted records). The age of a tombstone is
    /// recorded to within a day, so a few collections a day find each one soon after it is due. Checking a space in
    /// which nothing is due is cheap.
    package static let intervalDefault = Duration.seconds(6 * 3600)
    /// The pause after each transaction of a collection. It lets requests to a space run in between, so that none waits
    /// for more than one transaction.
    package static let pause = Duration.milliseconds(20)

    package init(age: Duration = Collector.ageDefault, interval: Duration = intervalDefault) {
        self.age = age
        self.interval = interval
    }

    /// Returns the time to the first collection: short, because a process may not live for a whole interval, but not
    /// zero, because all processes may start together.
    func firstWait() -> Duration { interval * Double.random(in: 0...0.1) }

    func nextWait() -> Duration { interval * Double.random(in: 0.9...1.1) }
}
