import Synchronization

@testable import SyncServer

/// What a server logs, line by line.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var log: Log { log(atLeast: .info) }

    func log(atLeast least: Log.Level) -> Log { Log(atLeast: least, take: take) }

    @Sendable func take(_ line: [UInt8]) {
        let text = String(decoding: line, as: UTF8.self)
        lines.withLock { $0.append(text) }
    }

    var all: [String] { lines.withLock { $0 } }
}
