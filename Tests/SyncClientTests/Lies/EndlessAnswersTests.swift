import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncClient

/// Responses without an end, and redirections.
@Suite(.serialized) struct EndlessAnswersTests {
    private static let transports: [any Transport] = [CurlTransport.shared, FoundationTransport()]
    private static let part = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)

    private static func request(_ liar: LyingServer, _ method: String = "GET") throws -> TransportRequest {
        var request = TransportRequest(
            method: method, url: try #require(URL(string: "http://127.0.0.1:\(liar.port)/")),
            headers: [("Authorization", "Bearer secret")])
        if method == "POST" { request.body = Array(#"{"changes":[]}"#.utf8) }
        return request
    }

    @Test(.timeLimit(.minutes(1)), arguments: transports)
    func aBodyWithoutEndIsNotKept(_ transport: any Transport) async throws {
        let liar = LyingServer()
        defer { liar.close() }
        // `URLSession` on Linux reads ahead until it is stopped, which takes long on a busy machine (2.6 GiB were seen,
        // and more than a minute). So it gets twice the limit, on a connection that stays open.
        let twice = TransportLimits.bodyMaxBytes(200) / Self.part.count * 2
        let most = transport is CurlTransport ? .max : twice
        liar.say { _ in .endless(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), Self.part, most: most) }
        await #expect(throws: SyncFailure.self) { try await transport.send(Self.request(liar)) }
        // The sockets' buffers come on top.
        if transport is CurlTransport { #expect(liar.partsSent < 64) }
    }

    /// Such a length ends the process in `URLSession` on Linux (Swift 6.3).
    @Test(.timeLimit(.minutes(1))) func aBodyThatIsSaidToBeEndlessIsNotKept() async throws {
        let liar = LyingServer()
        defer { liar.close() }
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n"
        liar.say { _ in .endless(Array(head.utf8), Self.part) }
        await #expect(throws: SyncFailure.self) { try await CurlTransport.shared.send(Self.request(liar)) }
        #expect(liar.partsSent < 64)
    }

    /// 256 KiB that become 256 MiB, and compressed data that becomes nothing.
    @Test(.timeLimit(.minutes(1))) func aBodyThatUnpacksWithoutEndIsNotKept() async throws {
        let liar = LyingServer()
        defer { liar.close() }
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8)
        let bomb = try Self.bomb()
        liar.say { _ in .bytes(head + bomb) }
        let failure = await #expect(throws: SyncFailure.self) {
            try await CurlTransport.shared.send(Self.request(liar))
        }
        let isExcess = if case .unexpectedAnswer? = failure { true } else { false }
        #expect(isExcess, "\(failure.map(String.init(describing:)) ?? "")")
        // The header of a gzip file, and empty blocks.
        let empty = Array(repeating: [0, 0, 0, 0xFF, 0xFF] as [UInt8], count: 1 << 17).flatMap(\.self)
        liar.say { _ in .endless(head + [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3], empty) }
        await #expect(throws: SyncFailure.self) { try await CurlTransport.shared.send(Self.request(liar)) }
        #expect(liar.partsSent < 1_000)
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "HTTP/1.1 200 OK\r\n|X-Word: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n",
            "HTTP/1.1 200 OK\r\nX-Word: |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "|HTTP/1.1 100 Continue\r\n\r\n", "|HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n|X-Trailer: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n",
        ])
    func aHeadWithoutEndIsNotKept(_ text: String) async throws {
        let parts = text.components(separatedBy: "|")
        let liar = LyingServer()
        defer { liar.close() }
        liar.say { _ in
            .endless(Array(parts[0].utf8), Array(String(repeating: parts[1], count: 1 << 14).utf8))
        }
        await #expect(throws: SyncFailure.self) { try await CurlTransport.shared.send(Self.request(liar)) }
        #expect(liar.partsSent < 16)
    }

    /// The outbox and the token are sent only to the address that the app gave.
    @Test(.timeLimit(.minutes(1)), arguments: transports, ["GET", "POST"])
    func aRedirectionIsNotFollowed(_ transport: any Transport, _ method: String) async throws {
        let (liar, elsewhere) = (LyingServer(), LyingServer())
        defer {
            liar.close()
            elsewhere.close()
        }
        elsewhere.say(LyingServer.answer(200, "{}"))
        for status in [300, 301, 302, 303, 305, 307, 308] {
            let address = "http://127.0.0.1:\(elsewhere.port)/"
            liar.say(LyingServer.answer(status, "", type: "text/html", headers: ["Location: \(address)"]))
            let answer = try? await transport.send(Self.request(liar, method))
            #expect(answer?.status == status)
        }
        liar.say(
            LyingServer.answer(
                302, "", type: "text/html", headers: ["Location: http://127.0.0.1:\(elsewhere.port)/events"]))
        for await head in transport.heads(try Self.request(liar)) { Issue.record("A redirection told of \(head).") }
        #expect(elsewhere.requests.isEmpty)
    }

    @Test(.timeLimit(.minutes(1)), arguments: transports)
    func aStreamWithoutEndEnds(_ transport: any Transport) async throws {
        let liar = LyingServer()
        defer { liar.close() }
        let head = Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".utf8)
        for text in [[UInt8](repeating: UInt8(ascii: "1"), count: 1 << 16), Array(": x\n".utf8), [0]] {
            let part = Array(repeating: text, count: (1 << 16) / text.count).flatMap(\.self)
            let most = transport is CurlTransport ? .max : TransportLimits.streamMaxBytes / part.count * 2
            liar.say { _ in .endless(head, part, most: most) }
            for await head in transport.heads(try Self.request(liar)) { Issue.record("It told of \(head).") }
        }
    }

    private static func bomb() throws -> [UInt8] {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "head -c 268435456 /dev/zero | gzip -1"]
        process.standardOutput = pipe
        try process.run()
        let bytes = [UInt8](try pipe.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        return bytes
    }
}
