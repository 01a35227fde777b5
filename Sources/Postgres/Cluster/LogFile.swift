/// The log file of a child process.
struct LogFile: Sendable {
    let path: String

    /// The last lines of the log, for an error message.
    var tail: String {
        let bytes = (try? Files.contents(of: path)) ?? []
        let lines = String(decoding: bytes.suffix(2000), as: UTF8.self).split(separator: "\n")
        return lines.suffix(5).joined(separator: " / ")
    }
}
