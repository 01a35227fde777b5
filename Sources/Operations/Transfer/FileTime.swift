package import WireFormats

/// The time at which an app wrote a file. An import uses it as the time of every edit in the file.
package struct FileTime: Hashable, Sendable {
    /// The origin of a file's time.
    package enum Source: String, Sendable {
        /// The file itself: an app's backup, for example, contains the time at which it was written.
        case file
        /// The command-line option in which the user stated the time.
        case option
        /// The time of the file's last modification, as the file system has it.
        case modification
    }

    package let time: Timestamp
    package let source: Source

    /// Selects the first of these times that is known: the time in the file, the time that the user stated, the time of
    /// the last modification. `nil` if none is known.
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

    /// Returns the stamp for all edits of a file: a time within the second in which the file was written, or in January
    /// 1970 if that second is unknown. All stamps of devices are later than 1970, so their edits win over a file
    /// without a known time.
    ///
    /// The stamp's milliseconds and counter are derived from a hash of the file's bytes. A file therefore has the same
    /// stamp in each import. Two files of the same second have different stamps, so one of them wins as a whole, and
    /// not each of them for some attributes. The file time's own fraction of a second is not used, because programs
    /// that unpack or copy files seldom keep it.
    static func stamp(of bytes: [UInt8], writtenAt time: FileTime?) -> Stamp {
        var hash = FNV1a()
        hash.combine(bytes)
        var random = SplitMix64(seed: hash.value)
        let (milliseconds, counter) = (Int64(random.next() >> 1), Int64(random.next() >> 1))
        let seconds = time.map { $0.time.microseconds / 1_000_000 } ?? 0
        if seconds <= 0 { return Stamp(milliseconds: 1 + milliseconds % firstMonth, counter: counter) }
        return Stamp(milliseconds: seconds * 1000 + milliseconds % 1000, counter: counter)
    }

    /// The number of milliseconds from the beginning of 1970 within which the stamps of files without a known time lie.
    private static let firstMonth: Int64 = 2_000_000_000
}
