import DemoApps
import Foundation
import SyncClient
import SyncTestSupport
import Testing
import WireFormats

/// Devices of EasitOpen on one server, each with a store in a folder that is deleted after the test.
struct Shop {
    let server: TestServer
    let folder: TemporaryDirectory

    /// - Parameter judgesDeletions: true if the server refuses pushes that delete most of a space.
    static func with(judgesDeletions: Bool = false, _ body: (Shop) async throws -> Void) async throws {
        let folder = try TemporaryDirectory()
        let deletions = judgesDeletions ? standardDeletions : anyDeletions
        try await withTestServer(EasitOpenPlan.self, massDeletions: deletions) {
            try await body(Shop(server: $0, folder: folder))
        }
    }

    func file(_ name: String) -> URL { URL(filePath: folder.path).appending(path: "\(name).sqlite") }

    var endpoint: SyncEndpoint { Shop.endpoint(port: server.port, space: server.space) }

    /// Opens a store of a build of 2.0.0.
    func store(
        _ name: String, port: Int? = nil, token: String? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> SyncStore {
        try SyncStore(
            at: file(name), schema: try EasitOpen200.schema(),
            endpoint: Shop.endpoint(port: port ?? server.port, space: server.space),
            credentials: FixedToken(token ?? server.token), now: now)
    }

    /// Opens a store of a build of 1.0.0.
    func olderStore(_ name: String) throws -> SyncStore {
        try SyncStore(
            at: file(name), schema: try EasitOpen100.schema(), endpoint: endpoint,
            credentials: FixedToken(server.token))
    }

    static func endpoint(port: Int, space: ID) -> SyncEndpoint {
        var parts = URLComponents()
        (parts.scheme, parts.host, parts.port) = ("http", "127.0.0.1", port)
        return SyncEndpoint(server: parts.url ?? URL(filePath: "/"), space: space.description)
    }

    static func business(_ name: String, id: UUID = UUID()) -> EasitOpen200.Business {
        EasitOpen200.Business(
            id: id, name: name, address: "Hauptstraße 1", latitude: 52.5, longitude: 13.4,
            dateAdded: Date(timeIntervalSince1970: 1_700_000_000),
            lastUpdated: Date(timeIntervalSince1970: 1_700_000_000))
    }
}
