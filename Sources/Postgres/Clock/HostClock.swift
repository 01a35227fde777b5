package import WireFormats

/// The two clocks of this machine: a wall clock, which may be set to another time, and a steady clock, which never
/// jumps.
package struct HostClock: Sendable {
    /// The time by the wall clock.
    let wall: @Sendable () -> Timestamp
    /// The time by the steady clock: the time since some fixed moment. It counts while the machine sleeps, and cannot
    /// be set.
    let steady: @Sendable () -> Duration

    private static let start = ContinuousClock.now

    /// Creates a pair of clocks: by default the machine's own. Tests pass others.
    package init(
        wall: @escaping @Sendable () -> Timestamp = { .now },
        steady: @escaping @Sendable () -> Duration = { HostClock.start.duration(to: .now) }
    ) {
        self.wall = wall
        self.steady = steady
    }
}
