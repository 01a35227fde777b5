import PGStore
import SyncTestSupport
import Testing
import WireFormats

/// Design §7: what the newest version calls unique, no two living records of a space hold, whatever version writes.
@Suite struct UniqueTests {
    private let first = ID.random()
    private let second = ID.random()

    private func places(_ body: (TestServer) async throws -> Void) async throws {
        let sql = """
            CREATE SCHEMA places;
            GRANT USAGE ON SCHEMA places TO syncserver_serving;
            CREATE TABLE places.place (
                LIKE sync.record INCLUDING ALL, name text NOT NULL, provider_id text, label text, number bigint
            );
            CREATE INDEX ON places.place (space_id, provider_id) WHERE alive;
            SELECT sync.enroll('places.place');
            """
        let file = try MigrationFile(line: "places", fileName: "0001-create-places.sql", bytes: Array(sql.utf8))
        let line = try MigrationLine(name: "places", files: [file])
        try await withTestServer(PlacesPlan.self, migrations: line) { try await body($0) }
    }

    private func stored(_ server: TestServer, _ id: ID, _ attribute: String) async throws -> JSONValue? {
        try await server.view("2.0.0")["Place"]?[id.description]?[attribute]
    }

    @Test("S5_02: adding the same place again is refused and told which one there is, which keeps its label")
    func theLaterCreationIsRefusedAndToldTheHolder() async throws {
        try await places { server in
            let phone = server.device("2.0.0")
            try await phone.push([
                .create("Place", first, ["name": "Bakery", "providerID": "p1", "label": "mine"], at: moment(1))
            ])
            // The tablet lost its store, and its user adds the place again; an older version is bound by it as well.
            for version in ["2.0.0", "1.0.0"] {
                let tablet = server.device(version)
                let create = JSONValue.create("Place", second, ["name": "Baker", "providerID": "p1"], at: moment(2))
                let answer = try await tablet.send([create])
                #expect(answer.codes == [0: "unique"])
                #expect(answer.holders == [0: first.description])
                // It is as terminal the second time.
                #expect(try await tablet.send([create]).codes == [0: "unique"])
                // The user's edit goes to the one that there is.
                try await tablet.pullAll()
                let edit = try await tablet.push([.update("Place", first, ["name": "Baker"], at: moment(3))])
                #expect(edit.verdicts.allSatisfy { $0 != "rejected" })
            }
            #expect(try await server.view("2.0.0")["Place"]?.count == 1)
            #expect(try await stored(server, first, "label") == "mine")
            #expect(try await stored(server, first, "name") == "Baker")
        }
    }

    @Test func aRejectedEditLeavesTheRecordAndItsBatchAlone() async throws {
        try await places { server in
            let device = server.device("2.0.0")
            let answer = try await device.push([
                .create("Place", first, ["name": "a", "providerID": "p1"], at: moment(1)),
                .create("Place", second, ["name": "b", "providerID": "p2"], at: moment(2)),
                .update("Place", second, ["name": "c", "providerID": "p1"], at: moment(3)),
                .update("Place", second, ["label": "d"], at: moment(4)),
            ])
            #expect(answer.verdicts == ["applied", "applied", "rejected", "applied"])
            #expect(try await stored(server, second, "name") == "b")
            #expect(try await stored(server, second, "providerID") == "p2")
            #expect(try await stored(server, second, "label") == "d")
        }
    }

    @Test func aValueIsFreeOnceItsHolderGaveItUpOrDied() async throws {
        try await places { server in
            let device = server.device("2.0.0")
            let third = ID.random()
            try await device.push([
                .create("Place", first, ["name": "a", "providerID": "p1", "number": 1], at: moment(1))
            ])
            // In one push: what one gives up the next may take.
            let exchange = try await device.push([
                .update("Place", first, ["providerID": "p2"], at: moment(2)),
                .create("Place", second, ["name": "b", "providerID": "p1"], at: moment(3)),
                .create("Place", third, ["name": "c", "number": 1], at: moment(3)),
            ])
            #expect(exchange.verdicts == ["applied", "applied", "rejected"])
            try await device.push([.delete("Place", first, at: moment(4))])
            let taken = try await device.push([
                .create("Place", third, ["name": "c", "providerID": "p2", "number": 1], at: moment(5))
            ])
            #expect(taken.verdicts == ["applied"])
            // The dead one may not come back with what another holds now.
            let back = try await device.push([.create("Place", first, ["name": "a"], at: moment(6))])
            #expect(back.codes == [0: "unique"])
            #expect(try await stored(server, first, "name") == nil)
        }
    }

    @Test func nullIsNoValueAndAnotherSpaceIsAnotherMatter() async throws {
        try await places { server in
            let other = ID.random()
            let token = try await server.makeToken(app: "places", spaces: [other])
            let device = server.device("2.0.0")
            let create = JSONValue.create("Place", first, ["name": "a", "providerID": "p1"], at: moment(1))
            #expect(try await device.push([create]).verdicts == ["applied"])
            #expect(
                try await server.device("2.0.0", space: other, token: token).push([create]).verdicts == ["applied"])
            let nulls = try await device.push([
                .create("Place", second, ["name": "b"], at: moment(1)),
                .create("Place", .random(), ["name": "c", "providerID": nil], at: moment(1)),
            ])
            #expect(nulls.verdicts == ["applied", "applied"])
            // A retry of the holder's own creation is none of two.
            #expect(try await device.push([create]).verdicts == ["unchanged"])
        }
    }

    @Test("S3_05: records that were equal before an attribute became unique stay, and are not stuck")
    func whatWasEqualBeforeStays() async throws {
        try await places { server in
            let device = server.device("1.0.0")
            try await device.push([
                .create("Place", first, ["name": "a", "providerID": "p1"], at: moment(1)),
                .create("Place", second, ["name": "b", "providerID": "p2"], at: moment(1)),
            ])
            // As a server of version 1.0.0 left it.
            let session = try await Session.open(server.database.superuserConnectionString)
            _ = try await session.execute(Command("UPDATE places.place SET provider_id = 'p1'"))
            await session.close()
            let edits = try await device.push([
                .update("Place", first, ["name": "c"], at: moment(2)),
                .update("Place", second, ["name": "d", "providerID": "p1"], at: moment(2)),
            ])
            #expect(edits.verdicts == ["applied", "applied"])
            #expect(try await server.view("2.0.0")["Place"]?.count == 2)
        }
    }
}

/// Places that 2.0.0 calls unique by their provider's id, and by a number of their own.
private enum PlacesPlan: SchemaMigrationPlan {
    static let app = "places"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [.lightweight(fromVersion: V1.self, toVersion: V2.self)]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Place") {
                Attribute("name", .string)
                Attribute("providerID", .string.optional)
                Attribute("label", .string.optional)
                Attribute("number", .int.optional)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Place") {
                Attribute("providerID", .string.optional, .unique)
                Attribute("number", .int.optional, .unique)
            }
        }
    }
}
