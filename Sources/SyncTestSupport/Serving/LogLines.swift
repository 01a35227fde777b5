package import SyncServer
import Synchronization

/// A collector of the lines that a server logs.
package final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    package init() {}

    package var log: Log { log(atLeast: .info) }

    package func log(atLeast least: Log.Level) -> Log { Log(atLeast: least, take: take) }

    @Sendable package func take(_ line: [UInt8]) {
        let text = String(decoding: line, as: UTF8.self)
        lines.withLock { $0.append(text) }
    }

    package var all: [String] { lines.withLock { $0 } }
}
