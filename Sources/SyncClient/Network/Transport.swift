import Foundation

/// What a device asks of a server: one HTTP request.
struct TransportRequest: Sendable {
    var method: String
    var url: URL
    var headers: [(name: String, value: String)]
    /// JSON.
    var body: [UInt8]?
}

/// What a server answers.
struct TransportAnswer: Sendable {
    let status: Int
    let body: [UInt8]
    /// Seconds.
    let retryAfter: Double?
    /// The number of the space's latest change.
    let head: Int64?

    /// - Parameter header: the first value of a header, by its name.
    init(status: Int, body: [UInt8], header: (String) -> String?) {
        self.status = status
        self.body = body
        retryAfter = header("Retry-After").flatMap(Double.init)
        head = header("Sync-Head").flatMap { Int64($0) }
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

/// What every transport keeps to.
enum TransportLimits {
    /// How long to wait for an answer, or for the next byte of it. A push of the largest size takes seconds at most,
    /// and an event stream has a heartbeat every 25 s.
    static let silenceMaxSeconds = 60
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
                if line.starts(with: HeadReader.marker),
                    let head = Int64(String(decoding: line.dropFirst(HeadReader.marker.count), as: UTF8.self))
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
