import Glibc
import PGStore
import WireFormats

/// The server's log: one JSON object a line, on standard error. Never given secrets, tokens or record contents.
package struct Log: Sendable {
    /// How much a line matters.
    package enum Level: String, Sendable, CaseIterable, Comparable {
        /// What happened, as it should.
        case info
        /// Nothing failed, and somebody should do something.
        case warning
        /// Something failed.
        case error

        package static func < (one: Level, other: Level) -> Bool {
            allCases.firstIndex(of: one)! < allCases.firstIndex(of: other)!
        }
    }

    private let least: Level
    private let take: @Sendable (_ line: [UInt8]) -> Void

    /// - Parameters:
    ///   - least: lines that matter less are left out.
    ///   - take: where each line goes, with its end.
    package init(atLeast least: Level = .info, take: @escaping @Sendable (_ line: [UInt8]) -> Void) {
        self.least = least
        self.take = take
    }

    package init(atLeast least: Level = .info, isSilent: Bool = false) {
        self.init(atLeast: least) { line in
            if isSilent { return }
            _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    package func info(_ message: String, _ facts: [String: String] = [:]) { write(.info, message, facts) }
    package func warning(_ message: String, _ facts: [String: String] = [:]) { write(.warning, message, facts) }
    package func error(_ message: String, _ facts: [String: String] = [:]) { write(.error, message, facts) }

    /// What went wrong, without a value from a request or a row.
    package func error(_ message: String, _ error: any Error, _ facts: [String: String] = [:]) {
        var facts = facts
        facts["error"] = error.logText
        facts["next"] = (error as? PGError)?.advice
        write(.error, message, facts)
    }

    private func write(_ level: Level, _ message: String, _ facts: [String: String]) {
        if level < least { return }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("time")
        writer.timestamp(.now)
        writer.member("level", level.rawValue)
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
