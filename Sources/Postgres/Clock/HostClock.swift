package import WireFormats

/// The two clocks of this machine: a wall clock, which may be set, and a steady clock, which only counts on.
package struct HostClock: Sendable {
    /// The wall time.
    let wall: @Sendable () -> Timestamp
    /// The time since some fixed moment. It counts while the machine sleeps, and cannot be set.
    let steady: @Sendable () -> Duration

    private static let start = ContinuousClock.now

    /// Uses the machine's clocks; tests pass their own.
    package init(
        wall: @escaping @Sendable () -> Timestamp = { .now },
        steady: @escaping @Sendable () -> Duration = { HostClock.start.duration(to: .now) }
    ) {
        self.wall = wall
        self.steady = steady
    }
}
