import Glibc
import WireFormats

/// The server's log: one JSON object a line, on standard error. Never given secrets, tokens or record contents.
package struct Log: Sendable {
    private let isSilent: Bool

    package init(isSilent: Bool = false) {
        self.isSilent = isSilent
    }

    package func info(_ message: String, _ facts: [String: String] = [:]) { write("info", message, facts) }
    package func error(_ message: String, _ facts: [String: String] = [:]) { write("error", message, facts) }

    private func write(_ level: String, _ message: String, _ facts: [String: String]) {
        if isSilent { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("time")
        writer.timestamp(.now)
        writer.key("level")
        writer.string(level)
        writer.key("message")
        writer.string(message)
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            writer.string(value)
        }
        writer.endObject()
        let line = writer.bytes + [UInt8(ascii: "\n")]
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
