internal import CMalloc

/// How glibc's malloc treats a server's buffers.
enum Allocator {
    /// More than the largest buffer of a page or a push, which is a few times `Pull.pageSizeMaxBytes`.
    private static let keptBytes: CInt = 32 << 20

    /// Lets buffers of some hundred kilobytes be used again. Without this each page of a pull maps them anew, or grows
    /// a heap that the page before has trimmed, and the kernel clears all that memory (mallopt(3)): four fifths of the
    /// kernel's part in a pull, and a fifth of its time.
    static func keepBuffers() {
        mallopt(M_MMAP_THRESHOLD, keptBytes)
        mallopt(M_TRIM_THRESHOLD, keptBytes)
    }
}
