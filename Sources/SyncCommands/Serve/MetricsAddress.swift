/// The address and port given by `serve --metrics-listen`, at which metrics are served.
struct MetricsAddress: Equatable {
    let host: String
    let port: Int

    /// Parses the option `--metrics-listen`; `nil` if it is not given.
    init?(_ options: Options) throws(UsageError) {
        guard let text = options["metrics-listen"] else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let host = parts.dropLast().joined(separator: ":").filter { $0 != "[" && $0 != "]" }
        guard parts.count >= 2, !host.isEmpty, let port = parts.last.flatMap({ Int($0) }), (0...65535).contains(port)
        else {
            throw UsageError("‘--metrics-listen’ takes an address and a port such as 127.0.0.1:9464, not ‘\(text)’.")
        }
        (self.host, self.port) = (host, port)
    }
}
