import WireFormats

/// The allowance of each subject to add new devices to the census: devices that this process does not know yet, or
/// known devices in another version. It is limited because a client's device id is not proven: one token could claim
/// any number of devices, and a subject may create as many spaces as its quota allows.
struct CensusNewcomers {
    /// The subject, in one app, that has an allowance of new devices.
    struct Source: Hashable, Sendable {
        /// The app, as an index in `Census.apps`.
        let app: Int
        let subject: Subject
    }

    /// The used part of each subject's allowance in an app: a number of new devices (`count`), as it was at a time in
    /// microseconds (`since`). The used part shrinks with time.
    private var spent: [Source: (count: Int, since: Int64)] = [:]

    /// The most new devices that a subject may add at once. A person has fewer than ten devices, and all of them are
    /// new to a server that was restarted; a program that acts for a team of fifty with two devices each is still
    /// within the limit. Further devices are counted as devices without an id, which still shows that the version is in
    /// use.
    static let countMax = 100
    /// The time after which a subject may add one more new device, two hours. In a year, that is some four thousand
    /// devices, and their rows take a megabyte.
    static let restoredAfter = Duration.seconds(2 * 3600)
    /// The most subjects whose used allowances are remembered. Each takes about a hundred bytes and the subject's name.
    ///
    /// If there are more, all are forgotten, and each subject may add new devices as if it had added none. No client
    /// can exploit this, because the holder of a token cannot create subjects.
    static let sourcesMax = 100_000

    /// The count of remembered subjects.
    var count: Int { spent.count }

    /// Returns true if the subject may add one more device, and in that case counts the device.
    ///
    /// - Parameter time: the current time, in microseconds.
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
