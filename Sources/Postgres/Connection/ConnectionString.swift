import CPostgres

/// A parsed libpq connection string (manual, chapter 34.1.1): the database's address and the login. Its description
/// leaves out the secrets.
package struct ConnectionString: Sendable, Hashable {
    /// The value of each parameter that is set, by libpq's keyword for the parameter, such as `dbname`.
    private var values: [String: String]
    /// The keywords whose values libpq marks as secret (`dispchar` is `*`).
    private var secretKeywords: Set<String>

    /// Parses a URI (`postgresql://user@host/database`) or keyword form (`host=… dbname=…`). If the string has several
    /// hosts, sessions use the primary, because they write. The string can demand something else with
    /// `target_session_attrs`.
    ///
    /// - Throws: `invalidConnectionString`, with libpq's reason.
    package init(_ text: String) throws(PGError) {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &message) else {
            defer { PQfreemem(message) }
            let reason = message.map { String(cString: $0) } ?? "Out of memory."
            throw .invalidConnectionString(reason: ConnectionString.withoutQuotations(reason))
        }
        defer { PQconninfoFree(options) }
        values = ["target_session_attrs": "primary"]
        secretKeywords = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            if option.pointee.dispchar.pointee == CChar(UInt8(ascii: "*")) {
                secretKeywords.insert(String(cString: keyword))
            }
            option += 1
        }
        // A faulty port, which libpq would later quote in an error. After an unescaped ‘/’ or ‘@’ in a password, the
        // port may be a part of the password.
        let ports = values["port"]?.split(separator: ",").map { UInt16($0) } ?? []
        guard !ports.contains(nil) else {
            throw .invalidConnectionString(
                reason: "the port is no number; in a URI a password is written with ‘%2F’ for ‘/’ and ‘%40’ for ‘@’")
        }
        guard !values.values.contains(where: { $0.contains(where: \.isNewline) }), !text.utf8.contains(0) else {
            throw .invalidConnectionString(reason: "it has a second line, or a NUL")
        }
    }

    /// Removes quotations from libpq's message, because they may be a password or a part of one.
    private static func withoutQuotations(_ reason: String) -> String {
        reason.filter { !$0.isNewline }.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .map { $0.isMultiple(of: 2) ? String($1) : "…" }.joined(separator: "\"")
    }

    /// Creates a connection string for a private server on a Unix-domain socket.
    package init(socketDirectory: String, port: Int, user: String, database: String) {
        values = ["host": socketDirectory, "port": String(port), "user": user, "dbname": database]
        secretKeywords = ["password", "sslpassword"]
    }

    package var database: String? { values["dbname"] }
    package var user: String? { values["user"] }
    /// The host: a name, an address, or the directory of a socket.
    package var host: String? { values["host"] }

    /// Returns the connection to another database of the same server.
    package func with(database: String) -> ConnectionString { with("dbname", database) }

    /// Returns the connection to the same server with another login.
    package func with(user: String) -> ConnectionString { with("user", user) }

    /// Returns the connection to a database at another address, with the same login and the same other parameters.
    ///
    /// A string may have several hosts, for a primary and its standbys. Another host replaces all of them.
    ///
    /// - Parameters:
    ///   - host: a name, an address, or the directory of a socket; `nil` for the same host.
    ///   - port: `nil` for the same port.
    ///   - database: `nil` for the database of the same name.
    package func with(host: String?, port: Int?, database: String?) -> ConnectionString {
        var copy = self
        if let host {
            copy.values["host"] = host
            copy.values["hostaddr"] = nil
            // Several ports belong to several hosts.
            if copy.values["port"]?.contains(",") == true { copy.values["port"] = nil }
        }
        if let port { copy.values["port"] = String(port) }
        if let database { copy.values["dbname"] = database }
        return copy
    }

    /// The connection string for sessions that use a standby if one of the hosts is a standby. Sessions with the
    /// original string use the primary.
    package var preferringStandby: ConnectionString { with("target_session_attrs", "prefer-standby") }

    /// The whole string in keyword form with the password. It may be passed in another program's environment, and must
    /// never be logged.
    package var textRevealingSecrets: String { text { _, value in value } }

    /// The string in keyword form without the password, and the password (`nil` for none) separately. The string is for
    /// another program's command line, which everybody on the machine may read.
    package var forCommandLine: (text: String, password: String?) {
        var rest = self
        let password = rest.values.removeValue(forKey: "password")
        return (rest.textRevealingSecrets, password)
    }

    /// The parameters to pass to libpq: those of the string, the defaults for parameters that the string does not set,
    /// and `client_encoding`, which is always UTF-8.
    var parameters: [(keyword: String, value: String)] {
        var merged = Self.defaults
        merged.merge(values) { _, new in new }
        merged["client_encoding"] = "UTF8"
        return merged.map { ($0.key, $0.value) }
    }

    /// The default parameters. With them, a server that stops answering is noticed within about a minute, whatever the
    /// network does.
    private static let defaults = [
        "fallback_application_name": "syncserver",
        "connect_timeout": "10",
        "keepalives_idle": "30",
        "keepalives_interval": "10",
        "keepalives_count": "3",
        "tcp_user_timeout": "60000",
    ]

    private func with(_ keyword: String, _ value: String) -> ConnectionString {
        var copy = self
        copy.values[keyword] = value
        return copy
    }

    private func text(_ shown: (_ keyword: String, _ value: String) -> String) -> String {
        values.sorted { $0.key < $1.key }
            .map { keyword, value in
                let escaped = shown(keyword, value).flatMap { $0 == "'" || $0 == "\\" ? ["\\", $0] : [$0] }
                return "\(keyword)='\(String(escaped))'"
            }
            .joined(separator: " ")
    }
}

extension ConnectionString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        text { keyword, value in secretKeywords.contains(keyword) ? "***" : value }
    }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
