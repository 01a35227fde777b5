import Foundation
import Glibc
import HTTPServer
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncClient

/// The two transports to a server: libcurl on Linux, and `URLSession` on phones.
@Suite struct TransportTests {
    static let all: [any Transport] = [CurlTransport.shared, FoundationTransport()]

    private static func url(_ port: Int, _ path: String = "/") throws -> URL {
        try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
    }

    private static func request(
        _ server: TestServer, _ action: String, token: String? = nil
    ) throws -> TransportRequest {
        TransportRequest(
            method: "GET", url: try url(server.port, server.path(action)),
            headers: [("Authorization", "Bearer \(token ?? server.token)"), ("Schema-Version", "2.0.0")])
    }

    @Test(arguments: all) func anAnswerComesWithItsStatusItsHeadersAndItsBody(_ transport: any Transport) async throws {
        try await Shop.with { shop in
            let store = try shop.store("phone")
            try await store.write { try $0.insert(Shop.business("Bäckerei")) }
            try await store.syncOnce()
            let answer = try await transport.send(Self.request(shop.server, "changes"))
            #expect(answer.status == 200 && answer.head == 1)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("Bäckerei"))
            let refused = try await transport.send(Self.request(shop.server, "changes", token: "nonsense"))
            #expect(refused.status == 401)
        }
    }

    /// A body longer than one write to a socket, for which libcurl would first ask the server to continue.
    @Test(arguments: all) func aLargeBodyArrives(_ transport: any Transport) async throws {
        try await Shop.with { shop in
            var request = try Self.request(shop.server, "changes")
            request.method = "POST"
            request.headers.append(("Content-Type", "application/json"))
            request.body = Array(#"{"changes":[\#(String(repeating: " ", count: 3 << 20))]}"#.utf8)
            #expect(try await transport.send(request).status == 200)
        }
    }

    /// The connection ends at any byte: in the header, which `URLSession` on Linux does not survive, or in the body.
    @Test func anAnswerThatIsCutIsNone() async throws {
        let whole = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSync-Head: 7\r\n\r\nhello".utf8)
        let server = CuttingServer(whole)
        for length in 0..<whole.count {
            await #expect(throws: SyncFailure.self, "cut after \(length) bytes") {
                try await CurlTransport.shared.send(
                    TransportRequest(method: "GET", url: Self.url(server.port, "/\(length)"), headers: []))
            }
        }
        let answer = try await CurlTransport.shared.send(
            TransportRequest(method: "GET", url: Self.url(server.port, "/\(whole.count)"), headers: []))
        #expect(answer.status == 200 && answer.head == 7 && answer.body == Array("hello".utf8))
    }

    @Test(.timeLimit(.minutes(2)), arguments: all)
    func whoeverIsCancelledDoesNotWaitForAnAnswer(_ transport: any Transport) async throws {
        let listener = SilentListener()
        let waiting = Task {
            try await transport.send(TransportRequest(method: "GET", url: Self.url(listener.port), headers: []))
        }
        try await eventually("connected") { listener.isConnected() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        // Nor does a request that is cancelled before it begins.
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(TransportRequest(method: "GET", url: Self.url(listener.port), headers: []))
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test(.timeLimit(.minutes(2)), arguments: all)
    func aStreamSendsHeadsUntilNobodyReadsIt(_ transport: any Transport) async throws {
        try await Shop.with { shop in
            try await shop.server.service.keepingEvents {
                let store = try shop.store("phone")
                let heads = transport.heads(try Self.request(shop.server, "events"))
                var received: Int64 = 0
                for try await head in heads {
                    received = head
                    if head == 2 { break }
                    try await store.write { try $0.insert(Shop.business("Shop")) }
                    try await store.syncOnce()
                }
                #expect(received == 2)
            }
            try await eventually("the stream is closed") { shop.server.service.counts.http.openStreams == 0 }
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: all)
    func aStreamThatIsRefusedEnds(_ transport: any Transport) async throws {
        try await Shop.with { shop in
            for await head in transport.heads(try Self.request(shop.server, "events", token: "nonsense")) {
                Issue.record("A refusal told of \(head).")
            }
        }
    }

    @Test func aHeaderThatWouldBeTwoIsNotSent() async throws {
        await #expect(throws: SyncFailure.self) {
            try await CurlTransport.shared.send(
                TransportRequest(method: "GET", url: Self.url(1), headers: [("Authorization", "Bearer a\r\nHost: b")]))
        }
    }

    @Test func headsAreReadWhereverTheStreamIsSplit() {
        let text = Array(": hello\n\nid: 41\nevent: head\ndata: {\"head\":41}\n\nid: 44\n\nid: x\n\n".utf8)
        for split in 0...text.count {
            var reader = HeadReader()
            let parts = [text[..<split], text[split...]].map { $0.withUnsafeBytes { reader.read($0) } }
            #expect(parts.compactMap(\.self).last == 44)
        }
        var reader = HeadReader()
        let endless = [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20)
        #expect(endless.withUnsafeBytes { reader.read($0) } == nil)
    }
}

/// Answers each request with as many bytes of a response as its path says, and closes the connection.
private final class CuttingServer: Sendable {
    let port: Int

    init(_ answer: [UInt8]) {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                precondition(bind(listener, address, length) == 0 && listen(listener, 16) == 0)
                _ = getsockname(listener, address, &length)
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard let length = Self.length(client) else { break }
                _ = answer.withUnsafeBytes { Glibc.send(client, $0.baseAddress, length, CInt(MSG_NOSIGNAL)) }
                close(client)
                if length == answer.count { break }
            }
            close(listener)
        }
    }

    private static func length(_ client: CInt) -> Int? {
        var head: [UInt8] = []
        while head.suffix(4) != Array("\r\n\r\n".utf8)[...] {
            var byte: UInt8 = 0
            guard recv(client, &byte, 1, 0) == 1 else { return nil }
            head.append(byte)
        }
        return String(decoding: head, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap {
            Int($0.dropFirst())
        }
    }
}
