import Foundation

/// The Python interpreter with which tests run programs.
package enum Python {
    /// The path of the first `python3` on the `PATH`, if it is version 3.11 or later.
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
