/// A child's log.
struct LogFile: Sendable {
    let path: String

    /// Its last lines, for an error message.
    var tail: String {
        let bytes = (try? Files.contents(of: path)) ?? []
        let lines = String(decoding: bytes.suffix(2000), as: UTF8.self).split(separator: "\n")
        return lines.suffix(5).joined(separator: " / ")
    }
}
