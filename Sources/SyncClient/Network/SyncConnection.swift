import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A device's way to the server over HTTP.
struct SyncConnection: Sendable {
    private let server: URL
    private let base: URL

    /// How long to wait for an answer, or for the next byte of it. A push of the largest size takes seconds at most.
    private static let timeoutSeconds: TimeInterval = 60

    struct Answer {
        let status: Int
        let body: [UInt8]
        /// Seconds.
        let retryAfter: Double?
        /// The number of the space's latest change.
        let head: Int64?
    }

    init(_ endpoint: SyncEndpoint, app: String) {
        server = endpoint.server
        base = endpoint.server.appending(path: "v1/apps/\(app)/spaces/\(endpoint.space)")
    }

    /// - Throws: `SyncFailure.unreachable`; whether what was sent took effect is not known then.
    func send(_ request: SyncRequest, token: String) async throws -> Answer {
        var message = message(request.method, request.action, request.headers, token)
        if !request.query.isEmpty {
            message.url?.append(queryItems: request.query.map { URLQueryItem(name: $0.name, value: $0.value) })
        }
        if let body = request.body {
            message.setValue("application/json", forHTTPHeaderField: "Content-Type")
            message.httpBody = Data(body)
        }
        do {
            let (data, response) = try await URLSession.shared.data(for: message)
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            return Answer(
                status: response.statusCode, body: [UInt8](data),
                retryAfter: response.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init),
                head: response.value(forHTTPHeaderField: "Sync-Head").flatMap { Int64($0) })
        } catch {
            try Task.checkCancellation()
            throw SyncFailure.unreachable(error.localizedDescription)
        }
    }

    /// The heads that the server tells of, until the stream ends or the task is cancelled.
    func heads(_ headers: [(name: String, value: String)], token: String) -> AsyncStream<Int64> {
        // A heartbeat comes every 25 s, well within the time-out.
        EventStream.heads(message("GET", "events", headers, token), probe: server.appending(path: "healthz"))
    }

    private func message(
        _ method: String, _ action: String, _ headers: [(name: String, value: String)], _ token: String
    ) -> URLRequest {
        var message = URLRequest(url: base.appending(path: action), timeoutInterval: SyncConnection.timeoutSeconds)
        message.httpMethod = method
        message.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        for (name, value) in headers { message.setValue(value, forHTTPHeaderField: name) }
        return message
    }
}

/// Reads server-sent events as they come (WHATWG HTML, section 9.2), as far as `docs/protocol.md` has them.
private final class EventStream: NSObject, URLSessionDataDelegate {
    private let continuation: AsyncStream<Int64>.Continuation
    /// The start of a line. Only the session's own queue, which is serial, touches it.
    private nonisolated(unsafe) var line: [UInt8] = []

    /// The longest line that can be an event's.
    private static let lineMaxBytes = 1_024

    private init(_ continuation: AsyncStream<Int64>.Continuation) { self.continuation = continuation }

    static func heads(_ message: URLRequest, probe: URL) -> AsyncStream<Int64> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: .ephemeral, delegate: EventStream(continuation), delegateQueue: queue)
        let isOver = Mutex(false)
        let open = { @Sendable in isOver.withLock { if !$0 { session.dataTask(with: message).resume() } } }
        #if canImport(FoundationNetworking)
            // Foundation on Linux (Swift 6.3) never ceases to ask whether it may write to a connection that it had to
            // wait for, which takes a whole processor as long as the stream is open. So the stream gets one that is
            // there.
            session.dataTask(with: probe) { _, _, _ in open() }.resume()
        #else
            open()
        #endif
        // The session keeps its delegate until it ends. Then it must not be given another task.
        continuation.onTermination = { _ in
            isOver.withLock { isOver in
                isOver = true
                session.invalidateAndCancel()
            }
        }
        return stream
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard (dataTask.response as? HTTPURLResponse)?.statusCode == 200 else { return continuation.finish() }
        for byte in data {
            if byte == UInt8(ascii: "\n") {
                take(line)
                line.removeAll(keepingCapacity: true)
            } else if line.count < EventStream.lineMaxBytes {
                line.append(byte)
            }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.finish()
        session.finishTasksAndInvalidate()
    }

    private func take(_ line: [UInt8]) {
        let marker = Array("id: ".utf8)
        guard line.starts(with: marker), let head = Int64(String(decoding: line.dropFirst(marker.count), as: UTF8.self))
        else { return }
        continuation.yield(head)
    }
}
