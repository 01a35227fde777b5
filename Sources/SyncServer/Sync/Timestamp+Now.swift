import Glibc
package import WireFormats

extension Timestamp {
    /// The wall time by the system's clock (`CLOCK_REALTIME`, clock_gettime(2)).
    package static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
