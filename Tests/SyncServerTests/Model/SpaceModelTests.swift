import DemoApps
import Glibc
import SyncModel
import SyncTestSupport
import Testing
import WireFormats

/// A real server against the model of what it promises, with fleets of every version and variant of every app.
@Suite(.ownThread) struct SpaceModelTests {
    /// `MODEL_BATCHES=5000 swift test --filter SpaceModelTests` looks longer.
    private static let batches = getenv("MODEL_BATCHES").flatMap { Int(String(cString: $0)) } ?? 60

    /// A push creates one record twice, first on a shelf that is gone, then without one. Another holds the value, and
    /// both are refused.
    private static let twoCreations: UInt64 = 3_969_464_293_489_662_274

    private func compare(_ app: any SchemaMigrationPlan.Type, on server: TestServer, seed: UInt64) async throws {
        var run = try ModelRun(server, app, seed: seed)
        try await run.push(batches: SpaceModelTests.batches)
        // A fleet of which nothing is left would prove little, so one that deleted nearly all goes on.
        func living() -> Int { run.model.records(in: server.plan.name(of: 0)).count }
        for _ in 0..<SpaceModelTests.batches where living() <= 2 { try await run.push(batches: 1) }
        let differences = run.differences(of: try await run.views(), from: run.model)
        #expect(differences.prefix(3) == [], "\(app.app), seed \(seed): \(differences.count)")
        #expect(living() > 2, "\(app.app), seed \(seed)")
    }

    @Test(
        "whatever devices of all versions do, each version reads what the promises say",
        arguments: DemoApps.all.indices, [1, 2, UInt64.random(in: 3 ... .max)])
    func everyVersionReadsWhatTheModelSays(app: Int, seed: UInt64) async throws {
        try await withTestServer(DemoApps.all[app]) { server in
            try await compare(DemoApps.all[app], on: server, seed: seed)
        }
    }

    @Test(
        "so it is with every operation that a plan can have",
        arguments: [1, 2, 3, 4, twoCreations, UInt64.random(in: 5 ... .max), UInt64.random(in: 5 ... .max)])
    func everyOperationDoesWhatTheModelSays(seed: UInt64) async throws {
        try await withTestServer(PantryPlan.self, migrations: try PantryPlan.migrations()) { server in
            try await compare(PantryPlan.self, on: server, seed: seed)
        }
    }

    /// A server that named one would keep a value from everyone for a record that nobody sees.
    @Test func whatWentWithItsShelfKeepsNoValueFromOthers() throws {
        var model = try SpaceModel(PantryPlan.self)
        let version = try #require(ShapeName("2.0.0"))
        let (shelf, jar, other) = (ID.random(), ID.random(), ID.random())
        func change(
            _ operation: ModelChange.Operation, _ entity: String, _ id: ID, _ fields: [String: Value], _ time: Int64
        ) -> ModelChange {
            ModelChange(operation, entity, id, fields, at: Stamp(unchecked: moment(time)), in: version)
        }
        model.take(change(.create, "Shelf", shelf, ["name": .string("s")], 1))
        model.take(change(.create, "Vessel", jar, ["code": .string("x"), "shelf": .uuid(shelf)], 1))
        let asking = change(.create, "Vessel", other, ["code": .string("x")], 2)
        #expect(model.mayReject([asking], naming: jar))
        model.take(change(.delete, "Shelf", shelf, [:], 3))
        #expect(!model.mayReject([asking], naming: jar))
        // Nor is one asking that goes with its shelf itself.
        let fallen = change(.create, "Vessel", other, ["code": .string("y"), "shelf": .uuid(shelf)], 4)
        model.take(change(.create, "Vessel", jar, ["code": .string("y"), "shelf": .null], 4))
        #expect(!model.mayReject([fallen], naming: jar))
    }

    /// The comparison can fail, in every app: of models that miss one change, or take two stamps for each other's, some
    /// are found out.
    @Test(arguments: DemoApps.all.indices)
    func aModelThatIsGivenOtherChangesDiffers(app: Int) async throws {
        try await withTestServer(DemoApps.all[app]) { server in
            var run = try ModelRun(server, DemoApps.all[app], seed: 9)
            try await run.push(batches: 20)
            let newest = server.plan.name(of: server.plan.schemas.count - 1)
            let views = try await run.views().filter { $0.key == newest }
            #expect(run.differences(of: views, from: run.model) == [])
            func differs(_ fault: (inout [ModelChange]) -> Void) throws -> Bool {
                var changes = run.taken
                fault(&changes)
                return run.differences(of: views, from: try run.model(of: changes)) != []
            }
            let positions = run.taken.indices.suffix(24)
            let dropped = try positions.filter { position in try differs { $0.remove(at: position) } }
            let swapped = try positions.filter { position in try differs { $0.swapStamps(position, position - 1) } }
            #expect(
                dropped.count > 2 && swapped.count > 0, "\(dropped.count) and \(swapped.count) of \(positions.count)")
        }
    }
}

extension [ModelChange] {
    /// Each is made when the other was.
    fileprivate mutating func swapStamps(_ position: Int, _ other: Int) {
        let (one, two) = (self[position], self[other])
        self[position] = ModelChange(one.operation, one.entity, one.id, one.fields, at: two.stamp, in: one.version)
        self[other] = ModelChange(two.operation, two.entity, two.id, two.fields, at: one.stamp, in: two.version)
    }
}
