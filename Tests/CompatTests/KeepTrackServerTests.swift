import DemoApps
import Foundation
import SyncClient
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Rules that a plan declares and the server enforces. An extension, because the suite is serialized, and each process
/// has only one temporary server.
extension CompatTests {
    private func settings(
        _ plan: Plan, _ id: ID? = nil, theme: String, version: Int, stamp: Int64
    ) -> OutgoingChange {
        let projection = plan.projections[version][3]!
        return OutgoingChange(
            entity: projection.name, id: id ?? plan.hub.entities[3].singleton!, operation: .create,
            stamp: Stamp(rawValue: stamp),
            fields: [
                ("notificationsEnabled", .bool(true)), ("preferredUnits", .string("metric")), ("theme", .string(theme)),
                ("autoBackupEnabled", .bool(false)), ("cloudSyncEnabled", .bool(true)),
                ("createdAt", .date(Timestamp(microseconds: stamp))),
                ("modifiedAt", .date(Timestamp(microseconds: stamp))),
            ])
    }

    private func client(_ server: TemporaryServer, _ plan: Plan, version: Int) -> SpaceClient {
        SpaceClient(
            endpoint: SpaceEndpoint(server: server.url, app: plan.app, space: "me", token: server.token),
            schema: plan.schemas[version], device: .random())
    }

    @Test("S3_13: devices that set up their settings offline, in any version, share one record")
    func settingsOfAllDevicesAreOneRecord() async throws {
        let plan = try Plan(KeepTrackPlan.self)
        try await TemporaryServer.with(plan, lines: Repository.migrations(of: "keeptrack")) { server in
            for version in [0, 1, 2] {
                let change = settings(plan, theme: "theme \(version)", version: version, stamp: Int64(100 + version))
                _ = try await client(server, plan, version: version).push([change])
            }
            for version in [0, 1, 2] {
                let page = try await client(server, plan, version: version).pull(after: nil)
                #expect(page.changes.map(\.entity) == [plan.projections[version][3]!.name])
                #expect(page.changes.map { $0.fields?["theme"] } == [.string("theme 2")])
            }
        }
    }

    @Test func anotherRecordThanTheSingletonIsRefusedByItselfAndTheIDIsReturned() async throws {
        let plan = try Plan(KeepTrackPlan.self)
        try await TemporaryServer.with(plan, lines: Repository.migrations(of: "keeptrack")) { server in
            let client = client(server, plan, version: 2)
            let answer = try await client.push([
                settings(plan, .random(), theme: "dark", version: 2, stamp: 100),
                settings(plan, theme: "light", version: 2, stamp: 101),
            ])
            #expect(answer.applied == 1)
            #expect(answer.results.map(\.code) == ["not-the-singleton"])
            let id = try #require(plan.hub.entities[3].singleton)
            #expect(answer.results.first?.detail?.contains("\(id)") == true)
            #expect(try await client.pull(after: nil).changes.map(\.id) == [RecordID(id)])
        }
    }

    @Test func whatAVersionRequiresAndGivesNoDefaultMustBeSent() async throws {
        let plan = try Plan(KeepTrackPlan.self)
        try await TemporaryServer.with(plan, lines: Repository.migrations(of: "keeptrack")) { server in
            func goal(_ entity: String) -> OutgoingChange {
                OutgoingChange(
                    entity: entity, id: .random(), operation: .create, stamp: nil, fields: [("name", .string("Water"))])
            }
            let old = try await client(server, plan, version: 0).push([goal("SDGoalV0")])
            #expect(old.results.map(\.code) == ["missing-attribute"])
            #expect(try await client(server, plan, version: 2).push([goal("SDGoal")]).results.isEmpty)
        }
    }

    /// Also in the middle of a push, where creations are first assumed to be new.
    @Test func whatTheRecordHasNeedNotBeSentAgain() async throws {
        let plan = try Plan(KeepTrackPlan.self)
        try await TemporaryServer.with(plan, lines: Repository.migrations(of: "keeptrack")) { server in
            let client = client(server, plan, version: 0)
            func goal(_ id: ID, _ fields: [(String, Value)]) -> OutgoingChange {
                OutgoingChange(entity: "SDGoalV0", id: id, operation: .create, stamp: nil, fields: fields)
            }
            let whole: [(String, Value)] = [
                ("name", .string("Water")), ("goalDescription", .string("")), ("dates", .json("[]")),
                ("isActive", .bool(true)), ("isCompleted", .bool(false)), ("dosage", .double(1)),
                ("units", .string("l")), ("frequency", .string("daily")),
            ]
            let known = ID.random()
            #expect(try await client.push([goal(known, whole)]).results.isEmpty)
            let bare = [("name", Value.string("Tea"))]
            let answer = try await client.push([
                goal(.random(), whole), goal(known, bare), goal(.random(), bare),
            ])
            #expect(answer.results.map(\.index) == [2] && answer.results.map(\.code) == ["missing-attribute"])
            #expect(try await client.pull(after: nil).changes.count == 2)
        }
    }

    @Test("S3_02: a request without a version is the baseline's where the plan has one, and refused elsewhere")
    func aRequestWithoutAVersionIsTheBaselines() async throws {
        for (declaration, status) in [(KeepTrackPlan.self, 200), (FitIQPlan.self, 400)]
            as [(any SchemaMigrationPlan.Type, Int)]
        {
            let plan = try Plan(declaration)
            try await TemporaryServer.with(plan, lines: Repository.migrations(of: plan.app)) { server in
                let url = server.url.appending(path: "v1/apps/\(plan.app)/spaces/me/changes")
                var request = URLRequest(url: url)
                request.setValue("Bearer \(server.token)", forHTTPHeaderField: "Authorization")
                let (_, response) = try await URLSession.shared.data(for: request)
                let answer = try #require(response as? HTTPURLResponse)
                #expect(answer.statusCode == status)
                if status == 200 { #expect(answer.value(forHTTPHeaderField: "Schema-Version") == "0.0.0") }
            }
        }
    }
}
