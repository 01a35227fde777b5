import WireFormats

/// How many devices that this process does not know yet each space may add to the census, or known ones in another
/// version. What a client states as its device is not proven: one token could be any number of them.
struct CensusNewcomers {
    /// How much of a space's allowance is spent, and since when that has been growing again, in microseconds.
    private var spent: [ID: (count: Int, since: Int64)] = [:]

    /// How many at once. A household's devices are under ten, and after a restart of the server all of a space's are
    /// new to it; a team of fifty with two each still fits. Of what comes on top it is only known that somebody uses
    /// the version.
    static let countMax = 100
    /// How long it takes until there may be one more: in a year some four thousand, a megabyte of rows.
    static let restoredAfter = Duration.seconds(2 * 3600)
    /// How many spaces are remembered, in fifty bytes or so each. Then all begin with their whole allowance again: who
    /// has a token cannot make spaces.
    static let spacesMax = 100_000

    /// How many spaces are remembered.
    var count: Int { spent.count }

    /// Whether the space may add one more, which is counted then.
    ///
    /// - Parameter time: in microseconds.
    mutating func admit(from space: ID, at time: Int64) -> Bool {
        var (count, since) = spent[space] ?? (0, time)
        let interval = CensusNewcomers.restoredAfter.components.seconds * 1_000_000
        let restored = max(0, (time - since) / interval)
        since = restored >= Int64(count) ? time : since + restored * interval
        count = max(0, count - Int(clamping: restored))
        guard count < CensusNewcomers.countMax else { return false }
        if spent.count >= CensusNewcomers.spacesMax, spent[space] == nil { spent.removeAll(keepingCapacity: true) }
        spent[space] = (count + 1, since)
        return true
    }
}
