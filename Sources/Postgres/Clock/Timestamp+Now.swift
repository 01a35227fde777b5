import Glibc
package import WireFormats

extension Timestamp {
    /// The wall time by the system's clock (`CLOCK_REALTIME`, clock_gettime(2)).
    package static var now: Timestamp {
        // `timespec` is two words here, seconds and nanoseconds. Its members are not named: in a release build the
        // compiler may take them for those of another module that declares the type as well.
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 2) { words in
            let base = UnsafeMutableRawPointer(words.baseAddress!)
            clock_gettime(CLOCK_REALTIME, base.assumingMemoryBound(to: timespec.self))
            return Timestamp(microseconds: Int64(words[0]) * 1_000_000 + Int64(words[1]) / 1000)
        }
    }
}
