import Glibc
import Postgres

/// The resource use of this process, as Linux reports it.
struct ProcessFigures {
    /// The resident memory, in bytes.
    let residentBytes: Double
    /// The processor time of all threads, in user and kernel mode, in seconds.
    let cpuSeconds: Double
    let openFiles: Double
    /// The time at which the process started, in seconds since 1970; 0 if the machine does not report it.
    let startTime: Double

    init() {
        let pages = (try? Files.contents(of: "/proc/self/statm")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let resident = pages.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        residentBytes = resident * Double(sysconf(Int32(_SC_PAGESIZE)))
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        openFiles = Double((try? Files.names(in: "/proc/self/fd", includingHidden: true).count) ?? 0)
        startTime = ProcessFigures.startTime() ?? 0
    }

    /// Returns the time at which the process started: the machine's boot time, plus the process's start in ticks after
    /// it (proc(5), `btime` and field 22).
    private static func startTime() -> Double? {
        func text(_ path: String) -> String? {
            (try? Files.contents(of: path)).map { String(decoding: $0, as: UTF8.self) }
        }
        let fields = text("/proc/self/stat")?.split(separator: ")").last?.split(separator: " ") ?? []
        let boot = text("/proc/stat")?.split(separator: "\n").first { $0.hasPrefix("btime ") }?.dropFirst(6)
        guard fields.count > 19, let ticks = Double(fields[19]), let boot = boot.flatMap({ Double($0) }) else {
            return nil
        }
        return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
