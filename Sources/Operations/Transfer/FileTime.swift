package import WireFormats

/// The time at which a file of an app was written, which counts as the time of every edit in it.
package struct FileTime: Hashable, Sendable {
    /// The source of the time.
    package enum Source: String, Sendable {
        /// The file itself states it, as a backup does.
        case file
        /// The person who imports the file states it.
        case option
        /// The file system states when the file was last changed.
        case modification
    }

    package let time: Timestamp
    package let source: Source

    /// The best known time: from the file itself, else the stated one, else the file system's. `nil` if none is known.
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

    /// The stamp of all edits of a file: within the second of its time, or without a time in January 1970, before all
    /// stamps that devices ever made.
    ///
    /// The position within that time follows from the file's bytes. So two files of one second have two stamps, the
    /// same wherever and however often they are imported, and one of them wins as a whole: equal stamps would be
    /// decided attribute by attribute. A fraction of a second would say little: programs that unpack or copy files
    /// seldom keep it.
    static func stamp(of bytes: [UInt8], writtenAt time: FileTime?) -> Stamp {
        var hash = FNV1a()
        hash.combine(bytes)
        var random = SplitMix64(seed: hash.value)
        let (milliseconds, counter) = (Int64(random.next() >> 1), Int64(random.next() >> 1))
        let seconds = time.map { $0.time.microseconds / 1_000_000 } ?? 0
        if seconds <= 0 { return Stamp(milliseconds: 1 + milliseconds % firstMonth, counter: counter) }
        return Stamp(milliseconds: seconds * 1000 + milliseconds % 1000, counter: counter)
    }

    /// The length of the part of January 1970 that such stamps are taken from, in milliseconds. It was over before
    /// there were devices.
    private static let firstMonth: Int64 = 2_000_000_000
}
