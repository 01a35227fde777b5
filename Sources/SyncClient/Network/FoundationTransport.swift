import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transport on Apple's systems: `URLSession`.
///
/// It is not used on Linux, because `URLSession` has two faults there (Swift 6.3). It ends the process when an answer
/// is cut within its head. After it had to wait until it could write to a connection, it goes on polling that
/// connection. An open event stream then takes a whole processor.
final class FoundationTransport: Transport {
    private let session: URLSession
    private let exchanges = Exchanges()

    init() {
        session = URLSession(
            configuration: FoundationTransport.configuration(), delegate: exchanges, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    /// A configuration that keeps nothing between requests: no cookies, no cached answers, no passwords.
    fileprivate static func configuration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return configuration
    }

    func send(_ request: TransportRequest) async throws -> TransportAnswer {
        try Task.checkCancellation()
        let task = session.dataTask(with: FoundationTransport.message(request))
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    exchanges.begin(task, continuation)
                    task.resume()
                }
            } onCancel: {
                task.cancel()
            }
        } catch let failure as SyncFailure {
            throw failure
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
            url: request.url, cachePolicy: .reloadIgnoringLocalCacheData,
            timeoutInterval: TimeInterval(TransportLimits.silenceMaxSeconds))
        message.httpMethod = request.method
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        message.httpBody = request.body.map { Data($0) }
        return message
    }
}

/// The requests under way, each with the bytes of its answer so far. A request whose answer exceeds a limit is
/// cancelled.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
    private struct Exchange {
        let continuation: CheckedContinuation<TransportAnswer, any Error>
        let start = ContinuousClock.now
        var body: [UInt8] = []
        var excess: SyncFailure?
    }
    /// The requests under way, by the identifiers of their tasks.
    private let underWay = Mutex<[Int: Exchange]>([:])

    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<TransportAnswer, any Error>) {
        underWay.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let goesOn = underWay.withLock { underWay in
            guard var exchange = underWay.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            defer { underWay[dataTask.taskIdentifier] = exchange }
            let status = (dataTask.response as? HTTPURLResponse)?.statusCode ?? 0
            let most = TransportLimits.bodyMaxBytes(status)
            guard exchange.body.count + data.count <= most, dataTask.countOfBytesReceived <= Int64(most) else {
                exchange.excess = TransportLimits.excess(status)
                return false
            }
            guard exchange.start.duration(to: .now) < .seconds(TransportLimits.exchangeMaxSeconds) else {
                exchange.excess = .unreachable("the answer took too long")
                return false
            }
            exchange.body += data
            return true
        }
        if !goesOn { dataTask.cancel() }
    }

    /// Refuses a redirection: the redirecting answer itself is returned. So the outbox and the token are sent only to
    /// the server that the app has set.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = underWay.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let failure = exchange.excess ?? error {
            exchange.continuation.resume(throwing: failure)
        } else if let response = task.response as? HTTPURLResponse {
            exchange.continuation.resume(
                returning: TransportAnswer(status: response.statusCode, body: exchange.body) {
                    response.value(forHTTPHeaderField: $0)
                })
        } else {
            exchange.continuation.resume(throwing: URLError(.badServerResponse))
        }
    }
}

private final class EventStream: NSObject, URLSessionDataDelegate {
    private let continuation: AsyncStream<Int64>.Continuation
    /// The reader of the stream's events, and the number of bytes received so far. Only the session's own queue, which
    /// is serial, touches them.
    private nonisolated(unsafe) var received = (reader: HeadReader(), size: 0)

    private init(_ continuation: AsyncStream<Int64>.Continuation) { self.continuation = continuation }

    static func heads(_ message: URLRequest) -> AsyncStream<Int64> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let session = URLSession(
            configuration: FoundationTransport.configuration(), delegate: EventStream(continuation),
            delegateQueue: queue)
        session.dataTask(with: message).resume()
        // The session keeps its delegate until the session ends.
        continuation.onTermination = { _ in session.invalidateAndCancel() }
        return stream
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.size += data.count
        guard (dataTask.response as? HTTPURLResponse)?.statusCode == 200,
            received.size <= TransportLimits.streamMaxBytes
        else {
            return continuation.finish()
        }
        if let head = data.withUnsafeBytes({ received.reader.read($0) }) { continuation.yield(head) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.finish()
        session.finishTasksAndInvalidate()
    }
}
