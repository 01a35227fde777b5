internal import CMalloc
internal import Glibc

/// The settings of glibc's malloc for a server's buffers.
package enum Allocator {
    /// The size in bytes up to which freed buffers stay in the process for reuse. It is above the largest buffer of a
    /// page or a push, which is a few times `Pull.pageSizeMaxBytes`.
    private static let keptBytes: CInt = 32 << 20

    /// Sets glibc's malloc to reuse buffers of some hundred kilobytes. Without this, each page of a pull maps new
    /// memory for its buffers, or grows a heap that was trimmed after the previous page, and the kernel clears all that
    /// memory (mallopt(3)). The clearing is four fifths of the kernel's part in a pull, and a fifth of the pull's time.
    ///
    /// The number of arenas is limited, because each arena keeps its free memory. By default glibc makes eight arenas
    /// for each core, and the sessions have threads of their own: after a quarter of an hour the arenas contained 40
    /// MB, of which 9 were in use, and grew. No more threads run at once than there are cores, so a few arenas are
    /// enough.
    package static func keepBuffers() {
        mallopt(M_MMAP_THRESHOLD, keptBytes)
        mallopt(M_TRIM_THRESHOLD, keptBytes)
        mallopt(M_ARENA_MAX, CInt(clamping: 2 * max(sysconf(CInt(_SC_NPROCESSORS_ONLN)), 1)))
    }
}
