import Glibc

/// The server programs of one PostgreSQL major version.
package struct PostgresInstallation: Sendable, Hashable {
    let major: Int
    /// The directory of `initdb` and `postgres`.
    package let programs: String

    /// The oldest major version that is supported.
    package static let majorMin = 15

    /// The environment variable that names the directory of the PostgreSQL programs to use, whatever else is installed.
    /// It is for tests against another version. The directory's path contains the major version, as in `…/18/bin`.
    private static let variable = "POSTGRES_PROGRAMS"

    /// Returns the installations that have `program`: first those in Debian's directories, newest first, then those on
    /// `PATH`. If the environment variable `POSTGRES_PROGRAMS` is set, returns only the one that it names.
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
    /// or else the next newer one; `nil` if there is none. `pg_dump` cannot dump a server newer than itself, and the
    /// output of a much newer `pg_dump` may be too new for the server to restore.
    package static func dumping(major: Int) -> PostgresInstallation? {
        all(having: "pg_dump").filter { $0.major >= major && Files.exists("\($0.programs)/pg_restore") }
            .min { $0.major < $1.major }
    }

    /// Returns the installation for a data directory: for a new directory the newest one, for an existing one that of
    /// the major version that made it.
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

    /// Returns the major version that a path contains, such as 16 of `…/postgresql/16/bin`. Of several numbers, it is
    /// the one nearest to the path's end. `nil` if there is none.
    private static func major(of path: String) -> Int? {
        path.split(separator: "/").reversed().lazy
            .compactMap { Int($0.drop { !$0.isNumber }.prefix { $0.isNumber }) }
            .first { $0 >= majorMin }
    }
}
