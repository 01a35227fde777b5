package import WireFormats

/// When a file of an app was written, which is the time of every edit that is in it.
package struct FileTime: Hashable, Sendable {
    /// Who says so.
    package enum Source: String, Sendable {
        /// The file itself, as a backup does.
        case file
        /// Whoever imports it.
        case option
        /// The file system: when it was last changed.
        case modification
    }

    package let time: Timestamp
    package let source: Source

    /// The best that is known: what the file says, then what is stated, then what the file system has. `nil` where
    /// nobody says anything.
    package init?(saidByFile said: Timestamp?, stated: Timestamp?, modified: Timestamp?) {
        if let said {
            (time, source) = (said, .file)
        } else if let stated {
            (time, source) = (stated, .option)
        } else if let modified {
            (time, source) = (modified, .modification)
        } else {
            return nil
        }
    }

    /// The stamp of all edits of a file: within the second of its time, and where there is none in January 1970, before
    /// all that a device ever stamped.
    ///
    /// Where in it follows from the file's bytes. So two files of one second have two stamps, the same wherever and
    /// however often they are imported, and one of them stands as a whole: equal stamps would be decided attribute by
    /// attribute. A fraction of a second would tell little: what unpacks or copies files seldom keeps it.
    static func stamp(of bytes: [UInt8], writtenAt time: FileTime?) -> Stamp {
        var hash = FNV1a()
        hash.combine(bytes)
        var random = SplitMix64(seed: hash.value)
        let (milliseconds, counter) = (Int64(random.next() >> 1), Int64(random.next() >> 1))
        let seconds = time.map { $0.time.microseconds / 1_000_000 } ?? 0
        if seconds <= 0 { return Stamp(milliseconds: 1 + milliseconds % firstMonth, counter: counter) }
        return Stamp(milliseconds: seconds * 1000 + milliseconds % 1000, counter: counter)
    }

    /// Milliseconds of a month that is over before there were devices.
    private static let firstMonth: Int64 = 2_000_000_000
}
