import Postgres
package import SyncSimulator

/// An HTTP client through which a device sends its requests.
package protocol Requesting: Sendable {
    /// Sends a request, and returns the reply. The headers `Host` and, if there is a body, `Content-Length` are added.
    func request(
        _ method: String, _ target: String, headers: [String], body: [UInt8]?
    ) async throws -> TestReply
}

extension Requesting {
    package func request(_ method: String, _ target: String, headers: [String]) async throws -> TestReply {
        try await request(method, target, headers: headers, body: nil)
    }
}

/// A blocking HTTP/1.1 client over one loopback connection, on a thread of its own. It sends any bytes, even malformed
/// requests.
package actor TestClient: Requesting {
    /// The reason why a request got no reply.
    package typealias Failure = HTTPConnection.Failure

    private let queue = BlockingQueue(label: "test-client")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private let connection: HTTPConnection

    package init(port: Int) {
        connection = HTTPConnection(port: port)
    }

    /// Sends a request, and returns the reply. The headers `Host` and, if there is a body, `Content-Length` are added.
    package func request(
        _ method: String, _ target: String, headers: [String] = [], body: [UInt8]? = nil
    ) throws(Failure) -> TestReply {
        let bytes = HTTPConnection.request(method, target, headers: headers, body: body)
        return try exchange(bytes, hasBody: method != "HEAD")
    }

    /// Sends `bytes` unchanged, and returns the reply. After a failure, the next request uses a new connection.
    ///
    /// - Parameter hasBody: false if only the head of the reply is to be read.
    package func exchange(_ bytes: [UInt8], hasBody: Bool = true) throws(Failure) -> TestReply {
        TestReply(try connection.exchange(bytes, hasBody: hasBody))
    }

    package func disconnect() {
        connection.close()
    }
}
