import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(10)))
struct CodingTests {
    private static let text = Array(
        String(repeating: #"{"entity":"SDMeal","op":"update","fields":{}},"#, count: 4000).utf8)

    @Test(arguments: ContentCoding.allCases, [0, 1, 1000, 65_536, 65_537, 1_000_000])
    func compressionIsUndone(coding: ContentCoding, size: Int) throws {
        let varied = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        for body in [[UInt8](repeating: 65, count: size), varied] {
            guard let compressed = coding.compressed(body) else { continue }
            #expect(try coding.decompressed(compressed, limit: size) == body)
            if size > 1 {
                #expect(throws: ContentCoding.Failure.tooLarge) { try coding.decompressed(compressed, limit: size - 1) }
            }
        }
    }

    @Test(arguments: ContentCoding.allCases)
    func everyTruncationAndTrailerIsMalformed(coding: ContentCoding) throws {
        let body = Array(Self.text[..<2000])
        let compressed = try #require(coding.compressed(body))
        for count in 1..<compressed.count {
            #expect(throws: ContentCoding.Failure.malformed) {
                try coding.decompressed(Array(compressed[..<count]), limit: 10_000)
            }
        }
        #expect(throws: ContentCoding.Failure.malformed) {
            try coding.decompressed(compressed + [0, 1], limit: 10_000)
        }
        // A body may have several members or frames.
        #expect(try coding.decompressed(compressed + compressed, limit: 10_000) == body + body)
    }

    @Test(arguments: ContentCoding.allCases)
    func compressedRequestReachesTheResponderPlain(coding: ContentCoding) async throws {
        let compressed = try #require(coding.compressed(Self.text))
        try await withServer { server in
            let reply = try await offPool {
                try RawClient(port: server.port).request(
                    "POST /", headers: ["Content-Encoding: \(coding.rawValue)"], body: compressed)
            }
            #expect(reply.status == 200)
            #expect(reply.body == Self.text)
        }
    }

    @Test(arguments: ContentCoding.allCases)
    func bombIsRefused(coding: ContentCoding) async throws {
        let bomb = try #require(coding.compressed([UInt8](repeating: 0, count: 20_000_000)))
        try await withServer(limits: .with { $0.decompressedSizeMaxBytes = 1_000_000 }) { server in
            let reply = try await offPool {
                try RawClient(port: server.port).request(
                    "POST /", headers: ["Content-Encoding: \(coding.rawValue)"], body: bomb)
            }
            #expect(reply.status == 413)
            #expect(reply.text.contains(#""code":"too-large""#))
        }
    }

    @Test(arguments: [
        ("gzip", 400, "malformed"), ("zstd", 400, "malformed"), ("br", 415, "unsupported-encoding"),
        ("gzip, zstd", 415, "unsupported-encoding"), ("identity", 200, "plain"),
    ])
    func plainTextUnderACodingIsRefused(coding: String, status: Int, code: String) async throws {
        try await withServer { server in
            let reply = try await offPool {
                try RawClient(port: server.port).request(
                    "POST /", headers: ["Content-Encoding: \(coding)"], body: Array("plain".utf8))
            }
            #expect(reply.status == status)
            #expect(reply.text.contains(code))
            #expect((reply.headers["accept-encoding"] != nil) == (status == 415))
        }
    }

    @Test(
        arguments: [
            ("gzip", "gzip"), ("zstd, gzip", "zstd"), ("gzip;q=1, zstd;q=0.5", "gzip"), ("zstd;q=0, gzip", "gzip"),
            ("*", "zstd"), ("*;q=0.1, zstd;q=0", "gzip"), ("identity", nil), ("", nil), ("br", nil),
            ("gzip;q=0", nil), ("identity;q=1, gzip;q=0.5", nil), ("GZIP ; Q=0.8", "gzip"), ("gzip;q=x", nil),
        ] as [(String, String?)])
    func responseIsCodedAsNegotiated(accepted: String, coding: String?) async throws {
        try await withServer { _ in
            HTTPResponse(status: 200, body: Self.text)
        } body: { server in
            let reply = try await offPool {
                try RawClient(port: server.port).request("GET /", headers: ["Accept-Encoding: \(accepted)"])
            }
            #expect(reply.headers["content-encoding"] == coding)
            #expect(reply.headers["vary"] == "Accept-Encoding")
            let body =
                try coding.map { try #require(ContentCoding(rawValue: $0)).decompressed(reply.body, limit: 1_000_000) }
                ?? reply.body
            #expect(body == Self.text)
        }
    }

    @Test func smallResponseStaysPlain() async throws {
        try await withServer { _ in
            HTTPResponse(status: 200, body: Array(Self.text[..<1024]))
        } body: { server in
            let reply = try await offPool {
                try RawClient(port: server.port).request("GET /", headers: ["Accept-Encoding: gzip"])
            }
            #expect(reply.headers["content-encoding"] == nil)
            #expect(reply.headers["vary"] == nil)
        }
    }
}
