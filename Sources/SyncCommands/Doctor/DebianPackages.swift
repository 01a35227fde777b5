/// The names in Debian 12 of the packages that are needed to build and to run.
enum DebianPackages {
    /// The packages needed for a build, the same as in the library's script/bootstrap, and the PostgreSQL used by
    /// tests.
    static let build = [
        "g++", "pkg-config", "libpq-dev", "libmicrohttpd-dev", "libsimdjson-dev", "libssl-dev", "zlib1g-dev",
        "libzstd-dev", "libpg-query-dev", "libcurl4-openssl-dev", "libsqlite3-dev", "postgresql-15",
    ]
    /// The packages of the libraries that the finished program is linked with.
    static let libraries = [
        "libpq5", "libmicrohttpd12", "libsimdjson14", "libssl3", "zlib1g", "libzstd1", "libpg-query1504.0", "libcurl4",
        "libstdc++6",
    ]

    /// Returns the packages of `build` that are not installed; `nil` if this is not Debian, so that it cannot be
    /// determined.
    static func missing() -> [String]? {
        let words = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\\n"] + build
        // The command fails if it does not know one of the names, but lists the others all the same.
        guard let (status, output, _) = try? ProcessOutput.of("/usr/bin/env", words), status < 2 else { return nil }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        let installed = Set(lines.filter { $0.hasSuffix(" installed") }.map { $0.prefix { $0 != " " } })
        return build.filter { !installed.contains($0[...]) }
    }
}
