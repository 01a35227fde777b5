import Glibc
import Postgres
import StrictJSON
import WireFormats

/// The server's log: one line for each event, on standard error. It must never be given secrets, tokens or record
/// contents.
package struct Log: Sendable {
    /// The severity of a line in the log.
    package enum Level: String, Sendable, CaseIterable, Comparable {
        /// A normal event.
        case info
        /// Nothing failed, but somebody should act.
        case warning
        /// Something failed.
        case error

        package static func < (one: Level, other: Level) -> Bool {
            allCases.firstIndex(of: one)! < allCases.firstIndex(of: other)!
        }

        /// The priority as syslog(3) numbers it.
        var priority: Int {
            switch self {
            case .info: 6
            case .warning: 4
            case .error: 3
            }
        }
    }

    /// The format of the log's lines.
    package enum Form: String, Sendable, CaseIterable {
        /// One JSON object per line, for programs.
        case json
        /// A time, a sentence and facts, for a person at a terminal.
        case text
    }

    private let least: Level
    package let form: Form
    /// True if each line begins with its syslog priority, such as `<3>`, as the systemd journal expects (sd-daemon(3)).
    package let statesPriority: Bool
    private let take: @Sendable (_ line: [UInt8]) -> Void

    /// Creates a log that passes its lines to `take`.
    ///
    /// - Parameters:
    ///   - least: the least severity that is logged.
    ///   - statesPriority: true if each line begins with its priority, as a journal expects.
    ///   - take: receives each line with its line end.
    package init(
        atLeast least: Level = .info, as form: Form = .json, statesPriority: Bool = false,
        take: @escaping @Sendable (_ line: [UInt8]) -> Void
    ) {
        (self.least, self.form, self.statesPriority) = (least, form, statesPriority)
        self.take = take
    }

    package init(
        atLeast least: Level = .info, as form: Form = .json, statesPriority: Bool = false, isSilent: Bool = false
    ) {
        self.init(atLeast: least, as: form, statesPriority: statesPriority) { line in
            if isSilent { return }
            _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
    }

    package func info(_ message: String, _ facts: [String: LogFact] = [:]) { write(.info, message, facts) }
    package func warning(_ message: String, _ facts: [String: LogFact] = [:]) { write(.warning, message, facts) }
    package func error(_ message: String, _ facts: [String: LogFact] = [:]) { write(.error, message, facts) }

    /// Logs an error. The line contains no value from a request or a database row.
    package func error(_ message: String, _ error: any Error, _ facts: [String: LogFact] = [:]) {
        var facts = facts
        facts["error"] = .text(error.logText)
        facts["next"] = (error as? PGError)?.advice.map(LogFact.text)
        write(.error, message, facts)
    }

    private func write(_ level: Level, _ message: String, _ facts: [String: LogFact]) {
        if level < least { return }
        var facts = facts
        // Adds the id of the request under way, unless the line is about a request and has an `id` of its own.
        if facts["id"] == nil, let request = RequestID.current { facts["request"] = .text(request.text) }
        let sorted = facts.sorted { $0.key < $1.key }
        let line =
            switch form {
            case .json: Log.json(level, message, sorted)
            case .text: Log.text(level, message, sorted)
            }
        let priority = statesPriority ? Array("<\(level.priority)>".utf8) : []
        take(priority + line + [UInt8(ascii: "\n")])
    }

    private static func json(_ level: Level, _ message: String, _ facts: [(key: String, value: LogFact)]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("time")
        writer.timestamp(.now)
        writer.member("level", level.rawValue)
        writer.member("message", message)
        for (name, fact) in facts {
            writer.key(name)
            fact.write(to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Replaces line breaks, control characters and characters that change the direction of text by spaces. The text of
    /// any error then takes one line and reads in one direction.
    private static func oneLine(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: " "
                    default: scalar
                    }
                }))
    }

    /// Returns a line such as `14:02:11 warning: changes held (app: fitiq, count: 2)`. The time is in UTC, as in the
    /// JSON format.
    private static func text(_ level: Level, _ message: String, _ facts: [(key: String, value: LogFact)]) -> [UInt8] {
        let time = Timestamp.now.description.dropFirst("2026-11-27T".count).prefix("14:02:11".count)
        let list = facts.map { "\($0.key): \($0.value.text)" }.joined(separator: ", ")
        let word = level == .info ? "" : "\(level.rawValue): "
        return Array(oneLine("\(time) \(word)\(message)\(list.isEmpty ? "" : " (\(list))")").utf8)
    }
}
