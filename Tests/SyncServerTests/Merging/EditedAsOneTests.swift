import SyncTestSupport
import Testing
import WireFormats

/// Tests of attributes that are edited as one: those that nobody has said have the defaults of the latest creation.
@Suite struct EditedAsOneTests {
    private let id = ID.random()

    /// Versions have other defaults.
    @Test(arguments: [[0, 1], [1, 0]], [2, 8])
    func whatNobodySaidHasTheDefaultsOfTheCreation(order: [Int], created: Int64) async throws {
        try await withTestServer(SidesPlan.self, migrations: try SidesPlan.migrations()) { server in
            let changes: [(String, JSONValue)] = [
                ("1.0.0", .update("Can", id, ["width": 3], at: moment(5))),
                ("2.0.0", .create("Can", id, at: moment(created))),
            ]
            for index in order { try await server.device(changes[index].0).push([changes[index].1]) }
            #expect(try await server.view("1.0.0")["Can"]?[id.description] == ["width": 3, "height": 70])
            #expect(try await server.view("2.0.0")["Can"]?[id.description] == ["area": 3, "slope": 70])
        }
    }

    /// An edit that a version makes after that is all said.
    @Test func whatWasSaidInAnotherVersionsTermsIsSaid() async throws {
        try await withTestServer(SidesPlan.self, migrations: try SidesPlan.migrations()) { server in
            try await server.device("1.0.0").push([.update("Can", id, ["width": 3], at: moment(5))])
            try await server.device("2.0.0").push([.update("Can", id, ["area": 4], at: moment(6))])
            try await server.device("2.0.0").push([.create("Can", id, at: moment(7))])
            #expect(try await server.view("2.0.0")["Can"]?[id.description] == ["area": 4, "slope": 2])
        }
    }

    /// One edit of a part, and any creations that say nothing of it, by both versions, in all orders.
    @Test(arguments: 1...4)
    func everyOrderOfCreationsAndAnEditEndsTheSame(round: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SplitMix64(seed: seed)
        try await withTestServer(SidesPlan.self, migrations: try SidesPlan.migrations()) { server in
            var changes: [(String, JSONValue)] = (1...3).map { index in
                let stamp = moment(Int64.random(in: 1...9, using: &random) * 10 + Int64(index))
                return (["1.0.0", "2.0.0"].randomElement(using: &random)!, .create("Can", id, at: stamp))
            }
            let name = ["width", "height"].randomElement(using: &random)!
            changes.append(("1.0.0", .update("Can", id, [name: 9], at: moment(50))))
            if Bool.random(using: &random) {
                changes.append(("1.0.0", .update("Can", id, [name: 8], at: moment(40))))
            }
            var ends: Set<String> = []
            for _ in 0..<8 {
                let space = ID.random()
                let token = try await server.makeToken(app: SidesPlan.app, spaces: [space])
                for (version, change) in changes.shuffled(using: &random) {
                    try await server.device(version, space: space, token: token).push([change])
                }
                let reader = server.device("2.0.0", space: space, token: token)
                try await reader.pullAll()
                ends.insert("\(await reader.store["Can"]?[id.description]?.sorted { $0.key < $1.key } ?? [])")
            }
            #expect(ends.count == 1, "seed \(seed): \(changes): \(ends)")
        }
    }
}

/// Two attributes that become two others, with other defaults.
enum SidesPlan: SchemaMigrationPlan {
    static let app = "sides"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Can.width", "height", to: "area", "slope", using: Sides())
        }
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Can") {
                Attribute("width", .int, default: 1)
                Attribute("height", .int, default: 2)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Can") {
                Removed("width", "height")
                Attribute("area", .int, default: 60)
                Attribute("slope", .int, default: 70)
            }
        }
    }

    private struct Sides: Conversion {
        func up(_ older: (Int, Int)) -> (Int, Int) { (older.0, older.1) }
        func down(_ newer: (Int, Int)) -> (Int, Int) { (newer.0, newer.1) }
        let examples = [(1, 2), (0, 0)]
    }
}
