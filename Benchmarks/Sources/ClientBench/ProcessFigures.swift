import BenchSupport
import Foundation

/// The kernel's figures about this process.
enum ProcessFigures {
    /// Resets the peak of resident memory.
    static func resetPeak() throws {
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    }

    /// Returns the peak of resident memory since `resetPeak`, in bytes (proc(5), VmHWM).
    static func peakBytes() throws -> Int { try figure("status", "VmHWM:") * 1024 }

    /// Returns how often a thread of the process was woken, which keeps a phone's processor from resting
    /// (getrusage(2)).
    static func wakeUps() -> Int {
        var usage = rusage()
        // RUSAGE_SELF, whose C type Swift does not accept.
        getrusage(0, &usage)
        return usage.ru_nvcsw
    }

    private static func figure(_ file: String, _ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/\(file)", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }),
            let number = Int(line.dropFirst(name.count).filter(\.isNumber))
        else { throw Failure("/proc/self/\(file) has no \(name)") }
        return number
    }
}
