import WireFormats

/// The allowance of each subject to add devices to the census that this process does not know yet, or known ones in
/// another version. What a client states as its device is not proven: one token could be any number of them, and a
/// subject makes itself as many spaces as its quota allows.
struct CensusNewcomers {
    /// Whose allowance it is: a subject's, for each app by itself.
    struct Source: Hashable, Sendable {
        /// By its place among the apps.
        let app: Int
        let subject: Subject
    }

    /// The part of each subject's allowance that is spent, and since when that has been growing again, in microseconds.
    private var spent: [Source: (count: Int, since: Int64)] = [:]

    /// The most at once. A person's devices are under ten, and after a restart of the server all of them are new to it;
    /// a program that speaks for a team of fifty with two each still fits. Of what comes on top it is only known that
    /// somebody uses the version.
    static let countMax = 100
    /// How long it takes until there may be one more: in a year some four thousand, a megabyte of rows.
    static let restoredAfter = Duration.seconds(2 * 3600)
    /// The most subjects that are remembered, in a hundred bytes or so each and their names. Then all begin with their
    /// whole allowance again: who has a token cannot make subjects.
    static let sourcesMax = 100_000

    /// How many subjects are remembered.
    var count: Int { spent.count }

    /// Whether the subject may add one more, which is counted then.
    ///
    /// - Parameter time: in microseconds.
    mutating func admit(_ source: Source, at time: Int64) -> Bool {
        var (count, since) = spent[source] ?? (0, time)
        let interval = CensusNewcomers.restoredAfter.components.seconds * 1_000_000
        let restored = max(0, (time - since) / interval)
        since = restored >= Int64(count) ? time : since + restored * interval
        count = max(0, count - Int(clamping: restored))
        guard count < CensusNewcomers.countMax else { return false }
        if spent.count >= CensusNewcomers.sourcesMax, spent[source] == nil { spent.removeAll(keepingCapacity: true) }
        spent[source] = (count + 1, since)
        return true
    }
}
