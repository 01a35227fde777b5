import WireFormats

/// The allowance of each subject to add new devices to the census: devices that this process does not know yet, or
/// known devices in another version. It is limited because a client's device id is not proven: one token could claim
/// any number of devices, and a subject may create as many spaces as its quota allows.
struct CensusNewcomers {
    /// The owner of an allowance: one subject in one app.
    struct Source: Hashable, Sendable {
        /// The app's index.
        let app: Int
        let subject: Subject
    }

    /// The spent part of each subject's allowance, and the time since which the allowance has been growing again, in
    /// microseconds.
    private var spent: [Source: (count: Int, since: Int64)] = [:]

    /// The most new devices at once. A person has fewer than ten devices, and after a restart of the server all of them
    /// are new to it; a program that speaks for a team of fifty with two devices each still fits. Further devices only
    /// show that somebody uses the version.
    static let countMax = 100
    /// The time after which one more device may be added: some four thousand in a year, or a megabyte of rows.
    static let restoredAfter = Duration.seconds(2 * 3600)
    /// The most subjects that are remembered, in about a hundred bytes each and their names. At that count all subjects
    /// get their whole allowance again: the holder of a token cannot create subjects.
    static let sourcesMax = 100_000

    /// The count of remembered subjects.
    var count: Int { spent.count }

    /// Returns true if the subject may add one more device, and counts it.
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
