import Foundation

/// A proxy from Debian's packages that runs a configuration of `deploy/`.
enum Proxy: String, CaseIterable, Sendable {
    case nginx, haproxy, caddy

    static let installed = allCases.filter { $0.program != nil }

    /// The program's path; `nil` if it is not installed.
    var program: String? {
        ["/usr/sbin/\(rawValue)", "/usr/bin/\(rawValue)"].first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Returns the file as published.
    func published() throws -> String {
        let names: [Proxy: String] = [.nginx: "syncserver.conf", .haproxy: "haproxy.cfg", .caddy: "Caddyfile"]
        return try String(contentsOf: Deployment.folder.appending(path: "\(rawValue)/\(names[self]!)"), encoding: .utf8)
    }

    /// Lends the port of a proxy that runs the published file before the server on `upstream`. It runs without TLS,
    /// which would only hide the raw bytes, and with the settings that a test's own process needs. It is stopped
    /// afterwards.
    func run<Value>(before upstream: Int, _ body: (_ port: Int) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(rawValue)-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Nothing reserves a port for a program that has not started yet.
        for _ in 0..<5 {
            let port = try RawClient.unusedPort()
            let program = try start(on: port, before: upstream, in: folder)
            defer {
                // The program inherits the signals that our threads block, and might ignore SIGTERM.
                kill(program.processIdentifier, SIGKILL)
                program.waitUntilExit()
            }
            if try await offPool({ Self.listens(port, for: program.processIdentifier) }) { return try await body(port) }
        }
        throw Deployment.Failure(text: "\(rawValue) does not start: \(Deployment.text(folder.appending(path: "log")))")
    }

    private func start(on port: Int, before upstream: Int, in folder: URL) throws -> Process {
        let file = folder.appending(path: "configuration")
        let text = try configuration(on: port, before: upstream, in: folder.path)
        try Data(text.utf8).write(to: file)
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = URL(filePath: program ?? rawValue)
        process.arguments =
            switch self {
            case .nginx: ["-p", folder.path, "-c", file.path]
            case .haproxy: ["-db", "-f", file.path]
            case .caddy: ["run", "--adapter", "caddyfile", "--config", file.path]
            }
        process.environment = Deployment.environment(home: folder.path)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: log)
        process.standardError = process.standardOutput
        try process.run()
        return process
    }

    private func configuration(on port: Int, before upstream: Int, in folder: String) throws -> String {
        // nginx and HAProxy list the servers twice, the second time for streams of events.
        let text = try published()
            .replacing("127.0.0.1:8080", times: self == .caddy ? 1 : 2, with: "127.0.0.1:\(upstream)")
        switch self {
        case .nginx:
            let site = try text.replacing(only: "listen 443 ssl http2;", with: "listen 127.0.0.1:\(port);")
                .replacing(only: "listen [::]:443 ssl http2;", with: "")
                .replacing(only: "ssl_certificate /etc/syncserver/tls/fullchain.pem;", with: "")
                .replacing(only: "ssl_certificate_key /etc/syncserver/tls/privkey.pem;", with: "")
            return Deployment.nginx(site, in: folder)
        case .haproxy:
            // A test may have neither another user nor descriptors for 20,000 connections.
            return try text.replacing(only: "user haproxy", with: "").replacing(only: "group haproxy", with: "")
                .replacing(only: "maxconn 20000", with: "maxconn 200")
                .replacing(
                    only: "bind :443 ssl crt /etc/syncserver/tls/haproxy.pem alpn h2,http/1.1",
                    with: "bind 127.0.0.1:\(port)")
        case .caddy:
            return try text.replacing(only: "\n{\n", with: "\n{\n\tadmin off\n")
                .replacing(only: "auto_https disable_redirects", with: "auto_https off")
                .replacing(only: "sync.example {", with: "http://:\(port) {\n\tbind 127.0.0.1")
        }
    }

    /// Returns true if the program accepts connections before it ends. (Foundation reaps it.)
    private static func listens(_ port: Int, for process: pid_t) -> Bool {
        while kill(process, 0) == 0 {
            if (try? RawClient(port: port)) != nil { return true }
            yieldThread()
        }
        return false
    }
}

extension String {
    /// Returns the text with `text`, which must occur once, replaced.
    func replacing(only text: String, with other: String) throws -> String {
        try replacing(text, times: 1, with: other)
    }

    /// Returns the text with `text`, which must occur `times` times, replaced each time.
    func replacing(_ text: String, times: Int, with other: String) throws -> String {
        let parts = components(separatedBy: text)
        guard parts.count == times + 1 else {
            throw Deployment.Failure(text: "‘\(text)’ is there \(parts.count - 1) times, not \(times)")
        }
        return parts.joined(separator: other)
    }
}
