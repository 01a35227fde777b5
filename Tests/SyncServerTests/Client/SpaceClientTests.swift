import DemoApps
import Foundation
import HTTPServer
import SyncClient
import Synchronization
import Testing
import WireFormats

/// Tests of a client that the server asks to wait.
@Suite struct SpaceClientTests {
    private static let page = #"{"changes":[],"cursor":"c","more":false}"#

    /// A client of a server that answers the first `refusals` requests with a pause, and how often it was asked.
    private func withServer(
        refusals: Int, status: Int = 503, retryAfter: String?, _ body: (SpaceClient) async throws -> Void
    ) async throws -> Int {
        let asked = Atomic(0)
        let server = try HTTPServer.start { _ in
            let (_, number) = asked.add(1, ordering: .relaxed)
            if number > refusals {
                return .answer(HTTPResponse(status: 200, body: [UInt8](Self.page.utf8)))
            }
            return .answer(
                HTTPResponse(
                    status: status, headers: retryAfter.map { ["Retry-After": $0] } ?? HTTPHeaders(),
                    body: [UInt8](#"{"code":"not-ready","detail":"Try again."}"#.utf8)))
        }
        let plan = try Plan(try #require(DemoApps.all.first))
        let endpoint = SpaceEndpoint(
            server: try #require(URL(string: "http://127.0.0.1:\(server.port)")), app: "fitiq", space: "me", token: "t")
        let client = SpaceClient(
            endpoint: endpoint, schema: plan.schemas[0], device: ID(high: 1, low: 1))
        do { try await body(client) } catch { await server.stop(); throw error }
        await server.stop()
        return asked.load(ordering: .relaxed)
    }

    @Test(arguments: [429, 503])
    func aShortPauseIsWaitedOutAndTheRequestSentAgain(status: Int) async throws {
        let asked = try await withServer(refusals: 3, status: status, retryAfter: "0") { client in
            let page = try await client.pull(after: nil)
            #expect(page.cursor == "c")
        }
        #expect(asked == 4)
    }

    @Test(
        "What the caller has to wait out is told to it",
        arguments: [(9, "0", 4), (1, "6", 1), (1, nil, 1), (1, "-1", 1)])
    func otherPausesAreReported(refusals: Int, retryAfter: String?, requests: Int) async throws {
        let asked = try await withServer(refusals: refusals, retryAfter: retryAfter) { client in
            await #expect(throws: SyncFailure.self) { try await client.pull(after: nil) }
        }
        #expect(asked == requests)
    }
}
