import Foundation

/// What a device asks of a server: one HTTP request.
struct TransportRequest: Sendable {
    var method: String
    var url: URL
    var headers: [(name: String, value: String)]
    /// JSON.
    var body: [UInt8]?
}

/// What a server answers, or what stands where it should.
struct TransportAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    /// As the header has it.
    let contentType: String?
    /// Seconds, at most `RetryPause.maxSeconds`.
    let retryAfter: Double?
    /// The number of the space's latest change.
    let head: Int64?

    /// - Parameter header: the first value of a header, by its name.
    init(status: Int, body: [UInt8], header: (String) -> String?) {
        self.status = status
        self.body = body
        contentType = header("Content-Type")
        retryAfter = header("Retry-After").flatMap { RetryPause.seconds($0) }
        head = header("Sync-Head").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}

/// What carries requests.
protocol Transport: Sendable {
    /// - Throws: `SyncFailure.unreachable`, where whether the request took effect is not known; `CancellationError`.
    func send(_ request: TransportRequest) async throws -> TransportAnswer

    /// The heads that the server tells of, until the stream ends or nobody reads it any more.
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

/// What every transport keeps to, whatever comes. Beyond it an answer is none, and is asked for again later.
enum TransportLimits {
    /// How long to wait for an answer, or for the next byte of it. A push of the largest size takes seconds at most,
    /// and an event stream has a heartbeat every 25 s.
    static let silenceMaxSeconds = 60
    /// How long a request and its answer may take, so that one that trickles ends. A push and a page of 1 MiB each are
    /// through by then on a line of 3 KB/s.
    static let exchangeMaxSeconds = 900
    /// The most bytes of an answer, as they come and unpacked. A page has about 1 MiB, and one record may exceed it: no
    /// server ever took a request of more than 32 MiB.
    static let answerMaxBytes = 32 << 20
    /// The most bytes of an answer that is none of data. A problem has some kilobytes at most, with the places of a
    /// thousand changes.
    static let problemMaxBytes = 256 << 10
    /// The most bytes of an answer's head, of those before it (1xx) and of trailers: a server's head has one kilobyte.
    static let headMaxBytes = 64 << 10
    /// The most bytes of a stream of events before another is opened: an hour of a space that moves all the time.
    static let streamMaxBytes = 4 << 20

    /// The most bytes of an answer's body, as they come and unpacked.
    static func bodyMaxBytes(_ status: Int) -> Int { status == 200 ? answerMaxBytes : problemMaxBytes }

    /// An answer that is none, because it does not end.
    static func excess(_ status: Int) -> SyncFailure {
        .unexpectedAnswer("what answered with \(status) says more than a server does, or has a head without end")
    }
}

/// Reads server-sent events as they come (WHATWG HTML, section 9.2), as far as `docs/protocol.md` has them.
struct HeadReader {
    /// The start of a line.
    private var line: [UInt8] = []
    private static let marker = Array("id: ".utf8)

    /// The longest line that can be an event's.
    private static let lineMaxBytes = 1_024

    /// The latest head that `bytes`, which follow what was read before, complete.
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
