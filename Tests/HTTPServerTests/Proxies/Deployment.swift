import Foundation

/// The files of `deploy/`, and the programs that read them.
enum Deployment {
    struct Failure: Error {
        let text: String
    }

    /// The folder `deploy/`; this file is four levels below the checkout.
    static let folder = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: "deploy")

    /// Returns an environment without any variable of the test's own; files that a program keeps go to `home`.
    static func environment(home: String) -> [String: String] {
        ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home]
    }

    /// Returns a configuration around `site`, which has only the `http` block.
    static func nginx(_ site: String, in folder: String) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n")
        return """
            daemon off;
            master_process off;
            pid \(folder)/pid;
            error_log stderr;
            events { worker_connections 1024; }
            http {
            access_log off;
            \(temporary)
            \(site)
            }
            """
    }

    static func text(_ file: URL) -> String {
        (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }

    /// Runs a program to its end, and returns its output if its status is not 0.
    static func complaint(of program: String, _ arguments: [String], home: URL) throws -> String? {
        let log = home.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = environment(home: home.path)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = process.standardOutput
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : text(log)
    }
}
