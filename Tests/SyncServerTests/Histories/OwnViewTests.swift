import DemoApps
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Each version is spoken to in its own words, whoever wrote.
@Suite struct OwnViewTests {
    @Test(
        "S1_10, S4_14: a version is sent its own entities and attributes only, whatever others write",
        arguments: DemoApps.all.indices, [3, UInt64.random(in: 4 ... .max)])
    func aVersionIsSentItsOwnWordsOnly(app: Int, seed: UInt64) async throws {
        try await withTestServer(DemoApps.all[app]) { server in
            let plan = server.plan
            var fleet = RandomFleet(plan, seed: seed)
            var received = 0
            // Half of it is read from nothing, and half after a cursor.
            let devices = plan.schemas.indices.map { server.device(version: $0) }
            for _ in 0..<2 {
                for version in plan.schemas.indices {
                    try await server.device(version: version).send(fleet.changes(by: version, count: 12))
                }
                for (version, device) in devices.enumerated() {
                    for change in try await device.pullAll() {
                        received += 1
                        let projection = plan.projection(version: version, named: change["entity"].string ?? "")
                        let about = "\(plan.app) \(device.version), seed \(seed): \(change)"
                        #expect(projection != nil, "\(about)")
                        guard change["op"] != "delete" else { continue }
                        #expect(
                            Set(change["fields"].members.keys) == Set(projection?.fields.map(\.name) ?? []), "\(about)")
                    }
                }
            }
            #expect(received > plan.schemas.count * 12)
        }
    }

    @Test(
        "S1_02, S3_03, S4_07: an entity is the same record under all of its names, in both directions",
        arguments: DemoApps.all.indices)
    func aRenamedEntityIsTheSameRecord(app: Int) async throws {
        try await withTestServer(DemoApps.all[app]) { server in
            let plan = server.plan
            var renamings = 0
            for entity in plan.hub.entities.indices {
                let versions = plan.schemas.indices.filter { plan.projections[$0][entity] != nil }
                let names = Set(versions.compactMap { plan.projections[$0][entity]?.name })
                guard names.count > 1, let first = versions.first, let last = versions.last else { continue }
                renamings += 1
                for (writer, reader) in [(first, last), (last, first)] {
                    let id = plan.hub.entities[entity].singleton ?? .random()
                    let (from, to) = (server.device(version: writer), server.device(version: reader))
                    let (written, read) = (try name(entity, writer, plan), try name(entity, reader, plan))
                    let creation = JSONValue.create(written, id, try fields(entity, writer, plan), at: nil)
                    #expect(try await from.push([creation]).codes == [:])
                    try await to.pullAll()
                    #expect(await to.holds(read, id), "\(plan.app) \(written) as \(read)")
                    // What was only carried along is the same, and the deletion comes back under the first name.
                    let pairs = try carried(entity, writer, reader, plan)
                    #expect(!pairs.isEmpty)
                    for pair in pairs {
                        let sent = creation["fields"][pair.written]
                        #expect(await to.value(read, id, pair.read) == sent, "\(plan.app) \(read).\(pair.read)")
                    }
                    try await to.push([.delete(read, id, at: nil)])
                    let gone = try await from.pullAll().filter { $0["id"] == .id(id) }
                    #expect(gone.map { $0["op"] } == ["delete"] && gone.map { $0["entity"] } == [.string(written)])
                }
            }
            #expect(plan.app == "easitopen" ? renamings == 0 : renamings > 0)
        }
    }

    private func name(_ entity: Int, _ version: Int, _ plan: Plan) throws -> String {
        try #require(plan.projections[version][entity]).name
    }

    /// Attributes that both versions read from one column without a step, under the name that each has for them.
    private func carried(
        _ entity: Int, _ writer: Int, _ reader: Int, _ plan: Plan
    ) throws -> [(written: String, read: String)] {
        let (from, to) = (
            try #require(plan.projections[writer][entity]), try #require(plan.projections[reader][entity])
        )
        return from.fields.filter(\.isPlain).compactMap { field in
            to.fields.first { $0.isPlain && $0.column == field.column }.map { (field.name, $0.name) }
        }
    }

    private func fields(_ entity: Int, _ version: Int, _ plan: Plan) throws -> [String: JSONValue] {
        let projection = try #require(plan.projections[version][entity])
        let generator = try #require(RecordGenerator(plan, of: projection.name, in: version))
        var random = SplitMix64(seed: 1)
        var fields: [String: JSONValue] = [:]
        for (index, field) in projection.fields.enumerated() where field.isPlain || !field.isOmissible {
            fields[field.name] = JSONValue(generator.value(index, using: &random))
        }
        return fields
    }
}

extension Projection.Field {
    /// Not a reference, whose target may not be there, and nothing to work out.
    fileprivate var isPlain: Bool {
        if case .reference = type.kind { return false }
        return isPlainCopy
    }
}
