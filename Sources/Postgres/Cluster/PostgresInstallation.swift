import Glibc

/// The server programs of one PostgreSQL major version.
package struct PostgresInstallation: Sendable, Hashable {
    let major: Int
    /// The directory of `initdb` and `postgres`.
    package let programs: String

    /// The oldest major version that is supported.
    package static let majorMin = 15

    /// The environment variable that names the directory of the programs to use, whatever else is installed: for tests
    /// against another version. A part of its path begins with the version, as in `…/18/bin`.
    private static let variable = "POSTGRES_PROGRAMS"

    /// Returns the installed versions: Debian's directories, newest first, then those on `PATH`.
    static func all(having program: String = "initdb") -> [PostgresInstallation] {
        if let stated = getenv(variable).map({ String(cString: $0) }) {
            return major(of: stated).map { [PostgresInstallation(major: $0, programs: stated)] } ?? []
        }
        let root = "/usr/lib/postgresql"
        let versions = ((try? Files.names(in: root)) ?? []).compactMap { Int($0) }.sorted(by: >)
        let packaged = versions.map { PostgresInstallation(major: $0, programs: "\(root)/\($0)/bin") }
        return (packaged + onPath(program)).filter {
            $0.major >= majorMin && Files.exists("\($0.programs)/\(program)")
        }
    }

    /// Returns the installation whose `pg_dump` and `pg_restore` fit a server of this major version: the same version,
    /// or the next newer. None dumps a newer server, and the output of a newer one may be too new for the server to
    /// restore.
    package static func dumping(major: Int) -> PostgresInstallation? {
        all(having: "pg_dump").filter { $0.major >= major && Files.exists("\($0.programs)/pg_restore") }
            .min { $0.major < $1.major }
    }

    /// The installation for a data directory: the newest for a new one, the same major version for an old one.
    package static func fitting(dataDirectory: String) throws(ClusterError) -> PostgresInstallation {
        let installed = all()
        guard let newest = installed.first else { throw .notInstalled }
        guard let bytes = try? Files.contents(of: "\(dataDirectory)/PG_VERSION"),
            let major = Int(String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber })
        else { return newest }
        guard let match = installed.first(where: { $0.major == major }) else {
            throw .versionMissing(major: major, directory: dataDirectory)
        }
        return match
    }

    /// Returns the installations on `PATH`. The version is read from the real path, as in `…/postgresql/16/bin` or
    /// `…/postgresql@16/…`.
    private static func onPath(_ program: String) -> [PostgresInstallation] {
        guard let path = getenv("PATH").map({ String(cString: $0) }) else { return [] }
        return path.split(separator: ":").compactMap { directory in
            guard Files.exists("\(directory)/\(program)") else { return nil }
            let major = major(of: Files.real("\(directory)/\(program)") ?? "")
            return major.map { PostgresInstallation(major: $0, programs: String(directory)) }
        }
    }

    /// The version number in a path that is nearest to its end.
    private static func major(of path: String) -> Int? {
        path.split(separator: "/").reversed().lazy
            .compactMap { Int($0.drop { !$0.isNumber }.prefix { $0.isNumber }) }
            .first { $0 >= majorMin }
    }
}
