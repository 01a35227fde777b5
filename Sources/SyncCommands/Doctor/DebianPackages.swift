/// What builds and runs need of Debian's packages, by the names that Debian 12 has for them.
enum DebianPackages {
    /// Of a build, as script/bootstrap of the library has them, and the PostgreSQL that tests bring.
    static let build = [
        "g++", "pkg-config", "libpq-dev", "libmicrohttpd-dev", "libsimdjson-dev", "libssl-dev", "zlib1g-dev",
        "libzstd-dev", "libpg-query-dev", "libcurl4-openssl-dev", "libsqlite3-dev", "postgresql-15",
    ]
    /// Those that the finished program is linked with.
    static let libraries = [
        "libpq5", "libmicrohttpd12", "libsimdjson14", "libssl3", "zlib1g", "libzstd1", "libpg-query1504.0", "libcurl4",
        "libstdc++6",
    ]

    /// Those of `build` that are not installed; `nil` where nobody can say, because this is no Debian.
    static func missing() -> [String]? {
        let words = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\\n"] + build
        // It fails where it does not know one of the names, and lists the others all the same.
        guard let (status, output, _) = try? ProcessOutput.of("/usr/bin/env", words), status < 2 else { return nil }
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        let installed = Set(lines.filter { $0.hasSuffix(" installed") }.map { $0.prefix { $0 != " " } })
        return build.filter { !installed.contains($0[...]) }
    }
}
