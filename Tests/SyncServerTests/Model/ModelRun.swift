import SyncModel
import SyncTestSupport
import Testing
import WireFormats

/// A fleet's changes, pushed to a server and applied to the model, and where the two differ.
struct ModelRun {
    let server: TestServer
    private(set) var fleet: ModelFleet
    private(set) var model: SpaceModel
    /// The changes that the server took, in the order of its commits.
    private(set) var taken: [ModelChange] = []
    private let declaration: any SchemaMigrationPlan.Type

    init(_ server: TestServer, _ declaration: any SchemaMigrationPlan.Type, seed: UInt64) throws {
        self.server = server
        self.declaration = declaration
        fleet = ModelFleet(server.plan, recordsPerEntity: max(4, 40 / server.plan.hub.entities.count), seed: seed)
        model = try SpaceModel(declaration)
    }

    mutating func push(batches: Int) async throws {
        for _ in 0..<batches {
            let shape = server.plan.shapes.indices.randomElement(using: &fleet.random)!
            let batch = fleet.batch(by: shape, count: Int.random(in: 1...12, using: &fleet.random), model)
            let device = server.device("\(server.plan.name(of: shape))", id: nil)
            // Nobody says which device it is, so all deletions are one's.
            let answer = try await device.send(batch.map(\.json), intent: "mass-deletion")
            model.beginPush()
            for (index, sent) in batch.enumerated() where answer.verdicts[index] != "rejected" {
                model.take(sent.change)
                taken.append(sent.change)
            }
            // What is unique is judged by how the records stand after the whole push.
            let rejected = batch.indices.filter { answer.verdicts[$0] == "rejected" }.map { batch[$0].change }
            for (index, sent) in batch.enumerated() where answer.verdicts[index] == "rejected" {
                let holder = answer.holders[index].flatMap { ID($0) }
                let isPlausible = holder.map { mayReject(sent.change, naming: $0, among: rejected) } ?? false
                let stories = [sent.change.id, holder].compactMap { $0 }.map { "\n  \($0)\(story(of: $0))" }
                #expect(isPlausible, "\(answer.codes[index] ?? "") \(sent.json)\(stories.joined())")
            }
        }
    }

    /// True if the server may have refused this change: if by itself, or with some that it refused of the same
    /// record, it asks for what another holds. It is one of those who ask if they do not without it, or if it would
    /// alone, were what the record belongs to alive.
    private func mayReject(_ change: ModelChange, naming holder: ID, among rejected: [ModelChange]) -> Bool {
        let record = rejected.filter { $0.id == change.id && $0.entity == change.entity }
        let asksItself = model.mayReject([change], naming: holder, isAlive: false)
        return (0..<(1 << record.count)).contains { subset in
            let some = record.indices.filter { subset >> $0 & 1 == 1 }.map { record[$0] }
            let others = some.filter { $0 != change }
            guard others.count < some.count, model.mayReject(some, naming: holder) else { return false }
            return asksItself || !model.mayReject(others, naming: holder)
        }
    }

    /// Returns the records that every shape of the app reads.
    func views() async throws -> [ShapeName: TestDevice.Store] {
        var views: [ShapeName: TestDevice.Store] = [:]
        for shape in server.plan.shapes.indices {
            let name = server.plan.name(of: shape)
            views[name] = try await server.view("\(name)")
        }
        return views
    }

    /// A model of these changes instead.
    func model(of changes: [ModelChange]) throws -> SpaceModel {
        var model = try SpaceModel(declaration)
        for change in changes { model.take(change) }
        return model
    }

    /// Each attribute that some shape reads otherwise than a model says, with all that was done to its record.
    func differences(of views: [ShapeName: TestDevice.Store], from model: SpaceModel) -> [String] {
        views.sorted { "\($0.key)" < "\($1.key)" }.flatMap { name, view in
            let expected = model.records(in: name)
            let keys = view.flatMap { entity, records in
                records.keys.compactMap { ID($0) }.map { ModelKey(entity: entity, id: $0) }
            }
            return Set(keys).union(expected.keys).compactMap { key -> String? in
                let about = "\(name) \(key.entity) \(key.id)"
                guard let actual = view[key.entity]?[key.id.description] else {
                    return "\(about) is missing\(story(of: key.id))"
                }
                guard let values = expected[key]?.mapValues({ JSONValue($0) }) else {
                    return "\(about) is \(model.liveness(of: key, in: name))\(story(of: key.id))"
                }
                // To the letter: texts that Unicode can write in two ways are two.
                let names = Set(actual.keys).union(values.keys).sorted().filter {
                    actual[$0]?.bytes != values[$0]?.bytes
                }
                if names.isEmpty { return nil }
                let lines = names.map {
                    "\($0): \(actual[$0]?.description ?? "nothing"), not \(values[$0]?.description ?? "nothing")"
                }
                return "\(about) \(lines.joined(separator: "; "))\(story(of: key.id))"
            }
        }
    }

    private func story(of id: ID) -> String {
        taken.filter { $0.id == id }.map { change in
            let fields = change.fields.sorted { $0.key < $1.key }.map { "\($0): \(JSONValue($1))" }
            return "\n    \(change.version) \(change.operation) at \(change.stamp?.rawValue ?? 0) "
                + fields.joined(separator: ", ")
        }.joined()
    }
}
