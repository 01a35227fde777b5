import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `URLSession`: what Apple's systems have.
///
/// On Linux (Swift 6.3) it ends the process where an answer is cut within its head, and never ceases to ask whether it
/// may write to a connection that it had to wait for, which takes a whole processor as long as an event stream is open.
struct FoundationTransport: Transport {
    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        do {
            let (data, response) = try await URLSession.shared.data(for: FoundationTransport.message(request))
            guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            return TransportAnswer(status: response.statusCode, body: [UInt8](data)) {
                response.value(forHTTPHeaderField: $0)
            }
        } catch {
            try Task.checkCancellation()
            throw SyncFailure.unreachable(error.localizedDescription)
        }
    }

    func heads(_ request: TransportRequest) -> AsyncStream<Int64> {
        EventStream.heads(FoundationTransport.message(request))
    }

    private static func message(_ request: TransportRequest) -> URLRequest {
        var message = URLRequest(
            url: request.url, timeoutInterval: TimeInterval(TransportLimits.silenceMaxSeconds))
        message.httpMethod = request.method
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        message.httpBody = request.body.map { Data($0) }
        return message
    }
}

private final class EventStream: NSObject, URLSessionDataDelegate {
    private let continuation: AsyncStream<Int64>.Continuation
    /// Only the session's own queue, which is serial, touches it.
    private nonisolated(unsafe) var reader = HeadReader()

    private init(_ continuation: AsyncStream<Int64>.Continuation) { self.continuation = continuation }

    static func heads(_ message: URLRequest) -> AsyncStream<Int64> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(configuration: .ephemeral, delegate: EventStream(continuation), delegateQueue: queue)
        session.dataTask(with: message).resume()
        // The session keeps its delegate until it ends.
        continuation.onTermination = { _ in session.invalidateAndCancel() }
        return stream
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard (dataTask.response as? HTTPURLResponse)?.statusCode == 200 else { return continuation.finish() }
        if let head = data.withUnsafeBytes({ reader.read($0) }) { continuation.yield(head) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.finish()
        session.finishTasksAndInvalidate()
    }
}
