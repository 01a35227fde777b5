package import WireFormats

/// The two clocks of this machine: one that tells the time and may be set, and one that only counts on.
package struct HostClock: Sendable {
    /// The wall time.
    let wall: @Sendable () -> Timestamp
    /// How long it is since some moment. It counts while the machine sleeps, and nobody sets it.
    let steady: @Sendable () -> Duration

    private static let start = ContinuousClock.now

    /// Tests give their own.
    package init(
        wall: @escaping @Sendable () -> Timestamp = { .now },
        steady: @escaping @Sendable () -> Duration = { HostClock.start.duration(to: .now) }
    ) {
        self.wall = wall
        self.steady = steady
    }
}
