import Postgres
import SyncSimulator

/// A client that listens to one space, on a thread of its own.
actor EventReader {
    private let queue = BlockingQueue(label: "event-reader")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let connection: HTTPConnection
    private(set) var reply: HTTPReply?

    /// What came between two blank lines: fields by name, comments under the empty name.
    typealias Event = [String: String]

    init(port: Int, _ target: String, headers: [String]) throws {
        connection = HTTPConnection(port: port)
        try connection.send(HTTPConnection.request("GET", target, headers: headers))
    }

    /// The answer's status line and headers.
    func head() throws -> HTTPReply {
        try connection.receiveHead()
    }

    /// The next event or heartbeat.
    func event() throws -> Event {
        var event: Event = [:]
        while true {
            let line = try connection.receiveLine()
            if line.isEmpty { return event }
            let name = line.prefix { $0 != ":" }
            event[String(name)] = String(line.dropFirst(name.count + 1).drop { $0 == " " })
        }
    }

    /// The head that the next event tells.
    func next() throws -> Int64? {
        try event()["id"].flatMap { Int64($0) }
    }

    /// Reads on until an event tells `head`; gives all that came on the way.
    func heads(until head: Int64) throws -> [Int64] {
        var heads: [Int64] = []
        while heads.last != head {
            if let next = try next() { heads.append(next) }
        }
        return heads
    }

    /// Whether the stream ends without another event.
    func ends() -> Bool {
        do {
            while try event()["id"] == nil {}
            return false
        } catch HTTPConnection.Failure.closed {
            return true
        } catch {
            return false
        }
    }

    func leave() {
        connection.close()
    }
}
