internal import CMalloc
internal import Glibc

/// The settings of glibc's malloc for a server's buffers.
package enum Allocator {
    /// The size in bytes up to which freed buffers stay in the process for reuse. It is above the largest buffer of a
    /// page or a push, which is a few times `Pull.pageSizeMaxBytes`.
    private static let keptBytes: CInt = 32 << 20

    /// Sets glibc's malloc to keep buffers of some hundred kilobytes for reuse. Otherwise it returns the memory of each
    /// page of a pull to the kernel, and the kernel has to clear new memory for the next page (mallopt(3)). The
    /// clearing takes a fifth of the time of a pull.
    ///
    /// The number of arenas is limited too, because each arena keeps its free memory. By default, glibc makes up to
    /// eight arenas for each core. With these, the process held 40 MB after a quarter of an hour, of which 9 MB were in
    /// use. A few arenas are enough, because no more threads run at once than there are cores.
    package static func keepBuffers() {
        mallopt(M_MMAP_THRESHOLD, keptBytes)
        mallopt(M_TRIM_THRESHOLD, keptBytes)
        mallopt(M_ARENA_MAX, CInt(clamping: 2 * max(sysconf(CInt(_SC_NPROCESSORS_ONLN)), 1)))
    }
}
