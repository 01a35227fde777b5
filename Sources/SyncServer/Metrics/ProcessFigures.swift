import Glibc
import PGStore

/// What this process takes of its machine, as Linux says it.
struct ProcessFigures {
    /// Bytes that are in memory.
    let residentBytes: Double
    /// Of all threads, in user and kernel mode.
    let cpuSeconds: Double
    let openFiles: Double

    init() {
        let pages = (try? Files.contents(of: "/proc/self/statm")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let resident = pages.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        residentBytes = resident * Double(sysconf(Int32(_SC_PAGESIZE)))
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        openFiles = Double((try? Files.names(in: "/proc/self/fd", includingHidden: true).count) ?? 0)
    }
}
