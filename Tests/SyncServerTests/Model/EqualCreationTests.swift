import DemoApps
import SyncModel
import SyncTestSupport
import Testing
import WireFormats

/// Devices of two versions that create one record at the same stamp: what neither says begins with another default in
/// each, and the winner must not depend on who arrives first.
@Suite struct EqualCreationTests {
    /// Returns the creation of a jar that every device of Pantry must send, in the words of each shape.
    private func creation(_ id: ID, by shape: Int, _ plan: Plan, _ seed: UInt64) -> JSONValue? {
        var random = SplitMix64(seed: seed)
        guard let projection = plan.projections[shape].compactMap({ $0 }).first(where: isJar),
            let generator = RecordGenerator(plan, of: projection.name, in: shape)
        else { return nil }
        var fields: [String: JSONValue] = [:]
        // All of what merges as one, or nothing of it.
        let units = Set(projection.fields.filter { !$0.isOmissible }.map(\.unit))
        for (index, field) in projection.fields.enumerated() where units.contains(field.unit) {
            fields[field.name] = JSONValue(generator.value(index, using: &random))
        }
        return .create(projection.name, id, fields, at: moment(5), in: "\(plan.name(of: shape))")
    }

    private func isJar(_ projection: Projection) -> Bool { ["Jar", "Vessel", "Pot"].contains(projection.name) }

    private func left(_ id: ID, by shape: Int, _ plan: Plan) -> JSONValue? {
        guard let projection = plan.projections[shape].compactMap({ $0 }).first(where: isJar) else { return nil }
        return .update(projection.name, id, ["left": "there"], at: moment(6), in: "\(plan.name(of: shape))")
    }

    @Test(arguments: [false, true])
    func creationsAtOneStampEndAlikeInEitherOrder(isUpdatedBetween: Bool) async throws {
        try await withTestServer(PantryPlan.self, migrations: try PantryPlan.migrations()) { server in
            let plan = server.plan
            let spaces = [ID.random(), ID.random()]
            let token = try await server.makeToken(app: PantryPlan.app, spaces: spaces)
            var models = [try SpaceModel(PantryPlan.self), try SpaceModel(PantryPlan.self)]
            for first in plan.shapes.indices {
                for second in plan.shapes.indices where second > first {
                    let id = ID.random()
                    let (one, two) = (creation(id, by: first, plan, 1), creation(id, by: second, plan, 2))
                    for (index, order) in [[one, two], [two, one]].enumerated() {
                        var changes = order.compactMap { $0 }
                        if isUpdatedBetween, let update = left(id, by: 1, plan) { changes.insert(update, at: 1) }
                        for change in changes {
                            let device = server.device("3.0.0", space: spaces[index], token: token)
                            let answer = try await device.send([change])
                            #expect(answer.codes == [:], "\(change)")
                            let version = try #require(change["version"].string.flatMap { ShapeName($0) })
                            models[index].take(try ModelChange(change, in: version, plan))
                        }
                    }
                }
            }
            for shape in plan.shapes.indices {
                let name = plan.name(of: shape)
                var views: [TestDevice.Store] = []
                for space in spaces {
                    let device = server.device("\(name)", space: space, token: token)
                    try await device.pullAll()
                    views.append(await device.store)
                }
                #expect(views[0].differences(from: views[1]) == [], "\(name)")
                for (model, view) in zip(models, views) {
                    var expected: TestDevice.Store = [:]
                    for (key, values) in model.records(in: name) {
                        expected[key.entity, default: [:]][key.id.description] = values.mapValues { JSONValue($0) }
                    }
                    #expect(view.withoutEmpty.differences(from: expected) == [], "\(name)")
                }
            }
        }
    }

    /// To say it again changes nothing.
    @Test func aRetryOfEitherCreationIsNoNews() async throws {
        try await withTestServer(PantryPlan.self, migrations: try PantryPlan.migrations()) { server in
            let id = ID.random()
            let creations = [0, 2].compactMap { creation(id, by: $0, server.plan, 3) }
            for creation in creations { try await server.device("3.0.0").send([creation]) }
            let contents = try await server.contents()
            for creation in creations.reversed() { try await server.device("3.0.0").send([creation]) }
            #expect(try await server.contents() == contents)
        }
    }
}
