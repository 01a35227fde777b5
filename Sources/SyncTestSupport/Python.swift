import Foundation

/// The Python interpreter that runs Python programs for tests.
package enum Python {
    /// The path of the first `python3` on the `PATH`; `nil` if there is none, or if it is older than version 3.11.
    package static let path: String? = {
        let folders = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
        let found = folders.map { URL(filePath: "\($0)/python3") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
        guard let found else { return nil }
        let check = Process()
        check.executableURL = found
        check.arguments = ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        guard (try? check.run()) != nil else { return nil }
        check.waitUntilExit()
        return check.terminationStatus == 0 ? found.path : nil
    }()
}
