import HTTPServer
import PGMigrations
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import Workshop

/// Attributes that merge one by one in one release and together in the next, whose plan links them.
@Suite(.ownThread) struct LinkedLaterTests {
    private let id = ID.random()

    private enum FirstPlan: SchemaMigrationPlan {
        static let app = TripsPlan.app
        static let schemas: [any VersionedSchema.Type] = [TripsPlan.V1.self]
        static let stages: [MigrationStage] = []
    }

    private enum SecondPlan: SchemaMigrationPlan {
        static let app = TripsPlan.app
        static let schemas: [any VersionedSchema.Type] = [TripsPlan.V1.self, TripsPlan.V2.self]
        static let stages = Array(TripsPlan.stages.prefix(1))
    }

    /// Attributes of this version that are linked: the parts of one attribute, and attributes that are edited as one.
    static let linked = [["red", "green", "blue"], ["street", "number", "city"]]

    private static func value(_ name: String, _ number: Int) -> JSONValue {
        ["street", "city"].contains(name) ? .string(["a", "b", "c"][number]) : .int(Int64(number + 1))
    }

    private func creation(at time: Int64) -> JSONValue {
        var fields: [String: JSONValue] = ["photo": "", "weather": "sun"]
        for name in Self.linked.flatMap(\.self) { fields[name] = Self.value(name, 0) }
        return .create("Trip", id, fields, at: moment(time))
    }

    private func update(_ name: String, _ number: Int, at time: Int64) -> JSONValue {
        .update("Trip", id, [name: Self.value(name, number)], at: moment(time))
    }

    /// Lends a server of the time when some version was the newest, and a function that starts one with the whole plan
    /// beside it.
    private func withServers(
        of older: any SchemaMigrationPlan.Type = FirstPlan.self,
        _ body: (TestServer, _ next: () async throws -> TestServer) async throws -> Void
    ) async throws {
        let line = try MigrationLine.read(directory: "\(Repository.root)/Tests/Workshop/Migrations/trips")
        let cut = try MigrationLine(name: line.name, files: Array(line.files.prefix(older.schemas.count)))
        let lines = try Repository.migrations() + [line]
        try await withTestServer(older, migrations: cut) { old in
            var services: [RunningServer] = []
            func next() async throws -> TestServer {
                try await Migrator(old.database.connectionString, lines: lines).up()
                let service = try await RunningServer.start(
                    .init(pool: .patient(sessionsMax: 4)), plans: [try Plan(TripsPlan.self)], lines: lines,
                    database: old.database.servingConnectionString, log: Log(isSilent: true))
                services.append(service)
                return old.through(service)
            }
            do {
                try await body(old, next)
            } catch {
                for service in services { await service.stop() }
                throw error
            }
            for service in services { await service.stop() }
        }
    }

    @Test("R1: parts that the previous release had as separate attributes keep their stamps", arguments: linked[0])
    func partsThatWereApartKeepTheirStamps(name: String) async throws {
        let others = Self.linked[0].filter { $0 != name }
        try await withServers { old, next in
            try await old.device("1.0.0").send([creation(at: 1)] + others.map { update($0, 1, at: 3000) })
            let new = try await next()
            #expect(try await new.device("1.0.0").send([update(name, 2, at: 2000)]).verdicts == ["applied"])
            #expect(try await new.device("1.0.0").send([update(name, 1, at: 1500)]).verdicts == ["superseded"])
            for other in others {
                let edit = update(other, 2, at: 2000)
                #expect(try await new.device("1.0.0").send([edit]).verdicts == ["superseded"])
            }
        }
    }

    @Test(
        "R5: a creation states parts that nobody had stated while they were separate", arguments: linked[0].dropFirst())
    func whatNobodyHadSaidOfPartsACreationSays(name: String) async throws {
        try await withServers { old, next in
            try await old.device("1.0.0").send([update(name, 1, at: 3000)])
            let new = try await next()
            #expect(try await new.device("1.0.0").send([creation(at: 1)]).verdicts == ["merged"])
            let trip = try await new.view("1.0.0")["Trip"]?[id.description]
            for part in Self.linked[0] { #expect(trip?[part] == Self.value(part, part == name ? 1 : 0), "\(part)") }
        }
    }

    @Test("R1: attributes that the previous release edited separately are one now, with the latest stamp")
    func whatIsEditedAsOneNowHasTheLatestStamp() async throws {
        for older: any SchemaMigrationPlan.Type in [FirstPlan.self, SecondPlan.self] {
            try await withServers(of: older) { old, next in
                try await old.device("1.0.0").send([creation(at: 1), update("street", 1, at: 3000)])
                #expect(try await old.device("1.0.0").send([update("number", 1, at: 2000)]).verdicts == ["applied"])
                let new = try await next()
                #expect(try await new.device("1.0.0").send([update("number", 2, at: 2500)]).verdicts == ["superseded"])
                #expect(try await new.device("1.0.0").send([update("city", 2, at: 4000)]).verdicts == ["applied"])
                let trip = try await new.view("1.0.0")["Trip"]?[id.description]
                #expect(trip?["street"] == "b" && trip?["number"] == 2 && trip?["city"] == "c")
            }
        }
    }
}
