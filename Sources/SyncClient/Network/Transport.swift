import Foundation
import WireFormats

/// One HTTP request from a device to a server.
struct TransportRequest: Sendable {
    var method: String
    var url: URL
    var headers: [(name: String, value: String)]
    /// The JSON body; `nil` for a request without one.
    var body: [UInt8]?
}

/// An HTTP answer. It may come from the server, or from something between the device and the server.
struct TransportAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    /// The value of the header `Content-Type`.
    let contentType: String?
    /// The pause in `Retry-After`, in seconds, at most `RetryPause.maxSeconds`; `nil` if the server asks for none.
    let retryAfter: Double?
    /// The number of the space's latest change, from the header `Sync-Head`; `nil` if the answer has no such header.
    let head: Int64?

    /// Makes an answer.
    ///
    /// - Parameter header: returns the first value of a header, by its name.
    init(status: Int, body: [UInt8], header: (String) -> String?) {
        self.status = status
        self.body = body
        contentType = header("Content-Type")
        retryAfter = header(HeaderName.retryAfter).flatMap { RetryPause.seconds($0) }
        head = header(HeaderName.syncHead).flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}

/// A client of HTTP that sends a device's requests.
protocol Transport: Sendable {
    /// Sends a request, and returns the answer.
    ///
    /// - Throws: `SyncFailure.unreachable`, after which the request may have taken effect or not; `CancellationError`.
    func send(_ request: TransportRequest) async throws -> TransportAnswer

    /// Returns a stream of heads: each is the number of the space's latest change, as the server reports it. The stream
    /// ends when its task is cancelled or the connection ends.
    func heads(_ request: TransportRequest) -> AsyncStream<Int64>
}

/// The system's HTTP client.
enum SystemTransport {
    #if canImport(CCurl)
        static let shared: any Transport = CurlTransport.shared
    #else
        static let shared: any Transport = FoundationTransport()
    #endif
}

/// The limits of every transport. An answer that exceeds one of them is discarded, and the request is sent again later.
enum TransportLimits {
    /// The longest wait for an answer, or for its next byte, in seconds. A push of the largest size takes a few seconds
    /// at most, and an event stream sends a heartbeat every 25 s.
    static let silenceMaxSeconds = 60
    /// The longest duration of a request with its answer, in seconds. It ends requests whose answers arrive very
    /// slowly. At 3 KB/s, a push of 1 MiB and a page of 1 MiB together take about 700 s.
    static let exchangeMaxSeconds = 900
    /// The largest size of an answer with status 200, in bytes, both as received and decompressed. A page has about 1
    /// MiB, unless one record is larger; and no record is larger than 32 MiB, because no server has ever accepted a
    /// larger request.
    static let answerMaxBytes = 32 << 20
    /// The largest size of an answer with a status other than 200, in bytes. An error answer has some kilobytes at
    /// most, even with the indices of a thousand changes.
    static let problemMaxBytes = 256 << 10
    /// The largest size of an answer's headers, in bytes, including those of interim answers (1xx) and the trailers.
    /// The server's headers have about one kilobyte.
    static let headMaxBytes = 64 << 10
    /// The size of an event stream, in bytes, after which the client ends it and opens another. A space that changes
    /// all the time sends as much in an hour.
    static let streamMaxBytes = 4 << 20

    /// Returns the largest size of an answer's body, in bytes, both as received and decompressed.
    static func bodyMaxBytes(_ status: Int) -> Int { status == 200 ? answerMaxBytes : problemMaxBytes }

    /// Returns the error for an answer that exceeds a limit.
    static func excess(_ status: Int) -> SyncFailure {
        .unexpectedAnswer("what answered with \(status) says more than a server does, or has a head without end")
    }
}

/// Reads the space's head (the number of its latest change) from server-sent events as they arrive (WHATWG HTML,
/// section 9.2), as far as `docs/protocol.md` uses them.
struct HeadReader {
    /// The bytes of a line that has not ended yet.
    private var line: [UInt8] = []
    private static let marker = Array(StreamEvent.headLine.utf8)

    /// The number of bytes of a line that are read. The rest of a longer line is ignored.
    private static let lineMaxBytes = 1_024

    /// Reads the next bytes of the stream. Returns the head (number of the space's latest change) in the last event
    /// that they complete; `nil` if they complete none.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Int64? {
        var latest: Int64?
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                if line.starts(with: HeadReader.marker),
                    let head = Int64(String(decoding: line.dropFirst(HeadReader.marker.count), as: UTF8.self)),
                    head >= 0
                {
                    latest = head
                }
                line.removeAll(keepingCapacity: true)
            } else if line.count < HeadReader.lineMaxBytes {
                line.append(byte)
            }
        }
        return latest
    }
}
