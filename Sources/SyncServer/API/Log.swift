import Glibc
import PGStore
import WireFormats

/// The server's log: one JSON object a line, on standard error. Never given secrets, tokens or record contents.
package struct Log: Sendable {
    private let take: @Sendable (_ line: [UInt8]) -> Void

    /// - Parameter take: where each line goes, with its end.
    package init(take: @escaping @Sendable (_ line: [UInt8]) -> Void) {
        self.take = take
    }

    package init(isSilent: Bool = false) {
        self.init { line in
            if isSilent { return }
            _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    package func info(_ message: String, _ facts: [String: String] = [:]) { write("info", message, facts) }
    package func error(_ message: String, _ facts: [String: String] = [:]) { write("error", message, facts) }

    /// What went wrong, without a value from a request or a row.
    package func error(_ message: String, _ error: any Error, _ facts: [String: String] = [:]) {
        var facts = facts
        facts["error"] = error.logText
        facts["next"] = (error as? PGError)?.advice
        write("error", message, facts)
    }

    private func write(_ level: String, _ message: String, _ facts: [String: String]) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("time")
        writer.timestamp(.now)
        writer.member("level", level)
        writer.member("message", message)
        // Which request it is about; a line about a request has it as its own.
        if facts["id"] == nil, let request = RequestID.current { writer.member("request", request.text) }
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            writer.string(value)
        }
        writer.endObject()
        take(writer.bytes + [UInt8(ascii: "\n")])
    }
}
