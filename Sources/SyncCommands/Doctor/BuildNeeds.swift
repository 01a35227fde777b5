import Foundation
import Postgres

/// The requirements for building and testing an app's package, on the machine and in the package's folder.
struct BuildNeeds {
    /// The package's folder.
    let folder: String

    /// The oldest Swift version that can build this library.
    static let swiftMin = (major: 6, minor: 3)

    var all: [Need] { [swift, packages, postgres] + package }

    private var swift: Need {
        let subject = "Swift"
        let remedy =
            "Install a Swift \(Self.swiftMin.major).\(Self.swiftMin.minor) toolchain (swift.org/install) and put its "
            + "‘usr/bin’ on the PATH."
        guard let (status, output, _) = try? ProcessOutput.of("/usr/bin/env", ["swift", "--version"]), status == 0
        else { return .missing(subject, "there is no ‘swift’ on the PATH", remedy) }
        let text = String(decoding: output, as: UTF8.self)
        guard let found = Self.version(in: text) else {
            return .missing(subject, "‘swift --version’ names no version", remedy)
        }
        let name = "\(found.major).\(found.minor)"
        return found < Self.swiftMin ? .missing(subject, "\(name) is too old", remedy) : .fine(subject, name)
    }

    /// Returns the version number in a text such as `Swift version 6.3.1 (swift-6.3.1-RELEASE)`; `nil` if there is
    /// none.
    static func version(in text: String) -> (major: Int, minor: Int)? {
        guard let match = text.firstMatch(of: /Swift version (\d+)\.(\d+)/), let major = Int(match.1),
            let minor = Int(match.2)
        else { return nil }
        return (major, minor)
    }

    private var packages: Need {
        let subject = "Libraries"
        guard let missing = DebianPackages.missing() else {
            return .open(
                subject, "this is no Debian, so nobody looked",
                "A build needs libpq, libmicrohttpd, simdjson, OpenSSL, zlib, zstd, pg_query and pkg-config.")
        }
        if missing.isEmpty { return .fine(subject, "all of Debian's packages that a build needs") }
        return .missing(
            subject, "not installed: \(missing.joined(separator: ", "))", "‘script/setup’ installs them.")
    }

    private var postgres: Need {
        do throws(ClusterError) {
            let installation = try PostgresInstallation.fitting(
                dataDirectory: "\(folder)/\(Environment.clusterDirectory)/data")
            return .fine("PostgreSQL", "the programs of \(installation.programs)")
        } catch {
            return .missing("PostgreSQL", "\(error)", "‘script/setup’ installs Debian's.")
        }
    }

    private var package: [Need] {
        let subject = "Package"
        let file = "\(folder)/Package.swift"
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            return [
                .missing(
                    subject, "\(folder) has no Package.swift",
                    "Run this in the package's folder, or make one: ‘syncserver init NAME --from SOURCES’.")
            ]
        }
        guard let path = text.firstMatch(of: /\.package\(path: "([^"]+)"/)?.1 else {
            return [.fine(subject, "\(file)")]
        }
        let library = path.hasPrefix("/") ? String(path) : "\(folder)/\(path)"
        guard FileManager.default.fileExists(atPath: "\(library)/Package.swift") else {
            return [
                .missing(
                    subject, "the library is not at ‘\(path)’, where Package.swift looks for it",
                    "Check it out there, or change the path in Package.swift.")
            ]
        }
        return [.fine(subject, "\(file), with the library at \(path)")]
    }
}
