import DemoApps
import Foundation
import StrictJSON
import SyncClient
import SyncTestSupport
import Testing
import WireFormats

/// Edits that the user makes while a request is in progress: they remain edits, whatever the response contains.
@Suite struct CrossedEditTests {
    private let link = "dietaryAndActivityPreferences"
    private let profile = RecordKey(entity: "SDUserProfileV11", id: RecordID(ID.random().description))
    private let preferences = ID.random()

    /// The link refers to a record that another device has deleted meanwhile, and creates again.
    @Test(arguments: [true, false])
    func aLinkThatTheUserRemovesStaysRemoved(isPulledFirst: Bool) async throws {
        try await withTestServer { server in
            let other = server.device()
            let id = try #require(ID(profile.id.text))
            try await other.push([
                .create("SDDietaryAndActivityPreferences", preferences, at: moment(1)),
                .create(profile.entity, id, [link: .id(preferences)], at: moment(1)),
            ])
            let schema = try SyncSchema(FitIQPlan.self, version: "0.1.1")
            var replica = try Replica(MemoryStorage(device: ID.random(), schema: schema), schema: schema)
            while try await turn(&replica, server) {}
            #expect(try replica.shown(profile)?[link] == .uuid(preferences))

            try await other.push([.delete("SDDietaryAndActivityPreferences", preferences, at: moment(2))])
            let removal = Edit.update(profile, [link: .null])
            if isPulledFirst {
                try await turn(&replica, server) { try $0.edit(removal, here: now) }
                #expect(try replica.shown(profile)?[link] == .null)
            } else {
                try replica.edit(removal, here: now)
            }
            while try await turn(&replica, server) {}
            try await other.push([
                .create("SDDietaryAndActivityPreferences", preferences, at: Stamp(milliseconds: now).rawValue)
            ])
            while try await turn(&replica, server) {}
            #expect(try replica.shown(profile)?[link] == .null)
            #expect(try await server.view("0.1.1")[profile.entity]?[profile.id.text]?[link] == .null)
        }
    }

    /// Two processes with one empty store, each of which sends a request before the other has its response.
    @Test func anAnswerIsTakenThoughAnotherProcessHasAsked() async throws {
        try await withTestServer { server in
            try await server.device().push([.create(profile.entity, try #require(ID(profile.id.text)), at: moment(1))])
            let schema = try SyncSchema(FitIQPlan.self, version: "0.1.1")
            var replica = try Replica(MemoryStorage(device: ID.random(), schema: schema), schema: schema)
            let hasMore = try await turn(&replica, server) { _ = try $0.nextRequest(here: now) }
            #expect(!hasMore)
            #expect(try replica.shown(profile) != nil)
        }
    }

    /// The first response states that the device's clock was ahead by hours, and has only the first page of many. The
    /// next edit must not count as one from before the correction.
    @Test func anEditAfterOneThatWasReplacedWinsBeforeAllIsRead() async throws {
        try await withTestServer { server in
            let many = (0..<1_500).map { _ in
                JSONValue.create("SDDietaryAndActivityPreferences", ID.random(), at: moment(1))
            }
            for part in [many[..<750], many[750...]] { try await server.device().push(Array(part)) }
            let schema = try SyncSchema(FitIQPlan.self, version: "0.1.1")
            var replica = try Replica(MemoryStorage(device: ID.random(), schema: schema), schema: schema)
            try replica.edit(.create(profile, ["name": .string("slightly")]), here: now + 150_000)
            try replica.edit(.update(profile, ["name": .string("far")]), here: now + 7_200_000)
            let hasMore = try await turn(&replica, server)
            #expect(hasMore)
            try replica.edit(.update(profile, ["name": .string("right")]), here: now)
            while try await turn(&replica, server) {}
            #expect(try replica.shown(profile)?["name"] == .string("right"))
            #expect(try await server.view("0.1.1")[profile.entity]?[profile.id.text]?["name"] == "right")
            // By then the device's clock is right again.
            #expect(replica.storage.memo.clock < Stamp(milliseconds: now + 600_000).rawValue)
        }
    }

    /// The cursor has expired, or the database was restored, before the device sends the edits since its last response.
    @Test func anEditAfterOneThatWasReplacedWinsThoughAllIsReadAnew() async throws {
        try await withTestServer { server in
            let schema = try SyncSchema(FitIQPlan.self, version: "0.1.1")
            var replica = try Replica(MemoryStorage(device: ID.random(), schema: schema), schema: schema)
            try replica.edit(.create(profile, ["name": .string("slightly")]), here: now + 150_000)
            try replica.edit(.update(profile, ["name": .string("far")]), here: now + 7_200_000)
            while try await turn(&replica, server) {}
            try replica.edit(.update(profile, ["name": .string("right")]), here: now)
            replica.storage.memo.cursor = nil
            while try await turn(&replica, server) {}
            #expect(try replica.shown(profile)?["name"] == .string("right"))
            #expect(try await server.view("0.1.1")[profile.entity]?[profile.id.text]?["name"] == "right")
        }
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// Performs the next request.
    ///
    /// - Parameter meanwhile: runs before the response arrives.
    /// - Returns: true if there is more to do.
    @discardableResult
    private func turn(
        _ replica: inout Replica<MemoryStorage>, _ server: TestServer,
        meanwhile: (inout Replica<MemoryStorage>) throws -> Void = { _ in }
    ) async throws -> Bool {
        let request = try replica.nextRequest(here: now)
        let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let target = server.path(request.action) + (query.isEmpty ? "" : "?\(query)")
        let headers =
            request.headers.map { "\($0.name): \($0.value)" } + [
                "Authorization: Bearer \(server.token)", "Content-Type: application/json",
            ]
        let reply = try await server.client().request(request.method, target, headers: headers, body: request.body)
        #expect(reply.status == 200)
        try meanwhile(&replica)
        let document = try JSONDocument(parsing: reply.body)
        return try replica.take(document.root, of: request, here: now).hasMore
    }
}
