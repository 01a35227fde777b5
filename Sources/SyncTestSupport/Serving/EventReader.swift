import Postgres
package import SyncSimulator

/// A client that reads the event stream of one space, on a thread of its own.
package actor EventReader {
    private let queue = BlockingQueue(label: "event-reader")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let connection: HTTPConnection
    package private(set) var reply: HTTPReply?

    /// The fields of an event, by name. An event consists of the lines between two blank lines; a comment line has the
    /// empty name.
    package typealias Event = [String: String]

    package init(port: Int, _ target: String, headers: [String]) throws {
        connection = HTTPConnection(port: port)
        try connection.send(HTTPConnection.request("GET", target, headers: headers))
    }

    /// Reads the status line and headers of the response.
    package func head() throws -> HTTPReply {
        try connection.receiveHead()
    }

    /// Reads the next event or heartbeat, and returns its fields.
    package func event() throws -> Event {
        var event: Event = [:]
        while true {
            let line = try connection.receiveLine()
            if line.isEmpty { return event }
            let name = line.prefix { $0 != ":" }
            event[String(name)] = String(line.dropFirst(name.count + 1).drop { $0 == " " })
        }
    }

    /// Reads the next event or heartbeat, and returns the head that it reports (the number of the space's latest
    /// change); `nil` if it reports none, as a heartbeat.
    package func next() throws -> Int64? {
        try event()["id"].flatMap { Int64($0) }
    }

    /// Reads events until one reports this head (the number of the space's latest change), and returns all heads that
    /// were reported.
    package func heads(until head: Int64) throws -> [Int64] {
        var heads: [Int64] = []
        while heads.last != head {
            if let next = try next() { heads.append(next) }
        }
        return heads
    }

    /// Returns true if the server ends the stream without another event. Heartbeats before the end are ignored.
    package func ends() -> Bool {
        do {
            while try event()["id"] == nil {}
            return false
        } catch HTTPConnection.Failure.closed {
            return true
        } catch {
            return false
        }
    }

    package func leave() {
        connection.close()
    }
}
