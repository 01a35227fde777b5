import Postgres
import SyncSimulator

/// A connection on which something was sent, whole or in part, and whose reply may be read later. On a thread of its
/// own.
actor HeldRequest {
    private let queue = BlockingQueue(label: "held-request")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let connection: HTTPConnection

    init(port: Int) {
        connection = HTTPConnection(port: port)
    }

    func send(_ bytes: [UInt8]) throws {
        try connection.send(bytes)
    }

    func send(_ text: String) throws {
        try connection.send(Array(text.utf8))
    }

    func reply() throws -> HTTPReply {
        try connection.receive()
    }
}
