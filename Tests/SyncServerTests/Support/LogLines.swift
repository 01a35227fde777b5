import Synchronization

@testable import SyncServer

/// What a server logs, line by line.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var log: Log {
        Log { [lines = self] line in lines.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
    }

    var all: [String] { lines.withLock { $0 } }
}
