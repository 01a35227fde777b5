import Foundation
import Testing

/// The files of `deploy/`, each checked by the program that reads it.
@Suite(.timeLimit(.minutes(10)))
struct DeployTests {
    @Test(.enabled(if: Proxy.nginx.program != nil, "There is no nginx here"))
    func nginxTakesItsConfiguration() throws {
        try inFolder { folder in
            let pair = try keyPair(in: folder)
            let site = try Proxy.nginx.published()
                .replacing(only: "/etc/syncserver/tls/fullchain.pem", with: pair.certificate)
                .replacing(only: "/etc/syncserver/tls/privkey.pem", with: pair.key)
            let file = folder.appending(path: "nginx.conf")
            try Data(Deployment.nginx(site, in: folder.path).utf8).write(to: file)
            let arguments = ["-t", "-p", folder.path, "-c", file.path]
            let program = try #require(Proxy.nginx.program)
            #expect(try Deployment.complaint(of: program, arguments, home: folder) == nil)
        }
    }

    @Test(.enabled(if: Proxy.haproxy.program != nil, "There is no haproxy here"))
    func haproxyTakesItsConfiguration() throws {
        try inFolder { folder in
            let pair = try keyPair(in: folder)
            let both = folder.appending(path: "both.pem")
            let texts = [pair.certificate, pair.key].map { Deployment.text(URL(filePath: $0)) }
            try Data(texts.joined().utf8).write(to: both)
            let file = folder.appending(path: "haproxy.cfg")
            let text = try Proxy.haproxy.published().replacing(only: "/etc/syncserver/tls/haproxy.pem", with: both.path)
            try Data(text.utf8).write(to: file)
            let arguments = ["-c", "-f", file.path]
            let program = try #require(Proxy.haproxy.program)
            #expect(try Deployment.complaint(of: program, arguments, home: folder) == nil)
        }
    }

    @Test(.enabled(if: Proxy.caddy.program != nil, "There is no caddy here"))
    func caddyTakesItsConfiguration() throws {
        try inFolder { folder in
            let file = Deployment.folder.appending(path: "caddy/Caddyfile").path
            let arguments = ["validate", "--adapter", "caddyfile", "--config", file]
            let program = try #require(Proxy.caddy.program)
            #expect(try Deployment.complaint(of: program, arguments, home: folder) == nil)
        }
    }

    private static let analyzer = "/usr/bin/systemd-analyze"

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: analyzer), "There is no systemd-analyze here"),
        arguments: ["syncserver", "syncserver-migrate"])
    func systemdTakesTheUnit(name: String) throws {
        try inFolder { folder in
            let published = try String(
                contentsOf: Deployment.folder.appending(path: "systemd/\(name).service"), encoding: .utf8)
            // The program is not installed on this machine.
            let text = try published.replacing(only: "ExecStart=/usr/bin/syncserver ", with: "ExecStart=/bin/true ")
            let file = folder.appending(path: "\(name).service")
            try Data(text.utf8).write(to: file)
            #expect(
                try Deployment.complaint(of: Self.analyzer, ["verify", "--man=no", file.path], home: folder) == nil)
            // Unknown settings cause only a warning.
            #expect(Deployment.text(folder.appending(path: "log")) == "")
        }
    }

    /// The exposure level of systemd-analyze; 10 is a service that may do everything.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: analyzer), "There is no systemd-analyze here"),
        arguments: ["syncserver", "syncserver-migrate"])
    func theUnitIsExposedToLittle(name: String) throws {
        try inFolder { folder in
            func complaint(_ path: String) throws -> String? {
                try Deployment.complaint(
                    of: Self.analyzer, ["security", "--no-pager", "--offline=true", "--threshold=20", path],
                    home: folder)
            }
            let published = Deployment.folder.appending(path: "systemd/\(name).service")
            #expect(try complaint(published.path) == nil)
            // The check can fail.
            let weaker = try String(contentsOf: published, encoding: .utf8).replacing("\nCapability", with: "\n#")
                .replacing("\nPrivateUsers", with: "\n#").replacing("\nSystemCallFilter", with: "\n#")
            let file = folder.appending(path: "\(name).service")
            try Data(weaker.utf8).write(to: file)
            #expect(try complaint(file.path) != nil)
        }
    }

    private static let python = "/usr/bin/python3"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: python), "There is no python3 here"))
    func drillReadsItsWordsBeforeItInstalls() throws {
        try inFolder { folder in
            // Without the scripts beside it, which install and build.
            let deploy = folder.appending(path: "deploy")
            try FileManager.default.copyItem(at: Deployment.folder, to: deploy)
            func complaint(_ word: String) throws -> String? {
                let arguments = [deploy.appending(path: "drill").path, word]
                return try Deployment.complaint(of: "/bin/bash", arguments, home: folder)
            }
            #expect(try complaint("--help") == nil)
            #expect(try complaint("nonsense")?.contains("there is no drill") == true)
            // The check can fail.
            #expect(try complaint("tls")?.contains("script/bootstrap") == true)
        }
    }

    /// Operators read the file of systemd with a shell, too, in which an unquoted `&` ends a command.
    @Test(arguments: ["environment", "migrate-environment"])
    func aShellReadsTheSettingsAsSystemdDoes(name: String) throws {
        try inFolder { (folder) throws in
            let published = Deployment.text(Deployment.folder.appending(path: "systemd/\(name).example"))
            let settings = Self.settings(published)
            #expect(settings["DATABASE_URL"]?.contains("&sslrootcert=") == true)
            #expect(settings["OPTIONS"] == "")
            #expect(try sourced(published, in: folder).isSuperset(of: settings.map { "\($0)=\($1)" }))
            // The check can fail.
            let bare = published.replacing("'", with: "")
            #expect(try !sourced(bare, in: folder).contains { $0.hasPrefix("DATABASE_URL=") })
        }
    }

    /// Returns the settings of a file in which each line is a comment, or a name and a value in single quotes, which
    /// systemd and a shell read literally.
    private static func settings(_ text: String) -> [String: String] {
        var settings: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let parts = line.wholeMatch(of: /([A-Z_]+)='([^']*)'/)?.output else {
                Issue.record("‘\(line)’ is read in two ways")
                continue
            }
            settings[String(parts.1)] = String(parts.2)
        }
        return settings
    }

    /// Returns the lines of the environment after a shell has read a file.
    private func sourced(_ text: String, in folder: URL) throws -> Set<String> {
        let file = folder.appending(path: "sourced")
        try Data(text.utf8).write(to: file)
        let script = #"set -a; . "$0"; exec /usr/bin/env"#
        _ = try Deployment.complaint(of: "/bin/sh", ["-c", script, file.path], home: folder)
        return Set(Deployment.text(folder.appending(path: "log")).split(separator: "\n").map(String.init))
    }

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "deploy-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// Returns a new key and a certificate for it.
    private func keyPair(in folder: URL) throws -> (certificate: String, key: String) {
        let pair = (folder.appending(path: "certificate.pem").path, folder.appending(path: "key.pem").path)
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
            "-subj", "/CN=sync.example", "-out", pair.0, "-keyout", pair.1,
        ]
        let complaint = try Deployment.complaint(of: "/usr/bin/openssl", arguments, home: folder)
        guard complaint == nil else { throw Deployment.Failure(text: complaint ?? "") }
        return pair
    }
}
