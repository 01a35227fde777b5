import DemoApps
import Operations
import SyncCommands
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Exports of every version of every app, imported into an empty space and exported again.
@Suite struct RoundTripTests {
    /// So that every export has records of every entity, whatever the seed deletes.
    private let spared = 3

    /// Devices of all versions create the same records, one after the other, and then delete some.
    private func fill(_ server: TestServer, _ random: inout SplitMix64, seed: UInt64) async throws {
        let plan = server.plan
        let filling = SpaceFilling(plan, recordsPerEntity: 6, spared: spared, using: &random)
        var next: Int64 = 0
        var versions = Array(plan.schemas.indices)
        versions.shuffle(using: &random)
        for version in versions {
            let device = server.device(plan.schemas[version].version.description)
            let creations = filling.creations(in: version, from: next, using: &random)
            next += Int64(creations.count)
            let deletions = filling.deletions(in: version, from: next, using: &random)
            next += Int64(deletions.count)
            let answer = try await device.push(creations + deletions)
            #expect(!answer.verdicts.contains("rejected"), "seed \(seed): \(answer.codes)")
        }
    }

    /// An export, and the export of the space that it was imported into.
    private func roundTrip(
        _ engine: SyncEngine, _ space: ID, in version: Int, seed: UInt64, damage: (inout [UInt8]) -> Void = { _ in }
    ) async throws -> (first: String, second: String) {
        let first = try await SpaceExport(engine: engine, space: space, version: version).run()
        var file = first
        damage(&file)
        let elsewhere = ID.random()
        let content = try ExportReader(file, plan: engine.plan)
        let transfer = SpaceImport(engine: engine, space: elsewhere)
        let report = try await transfer.run(content.items, version: content.version)
        let label = "seed \(seed), version \(engine.plan.schemas[version].version)"
        #expect(content.version == version && content.faults.isEmpty && report.faults.isEmpty, "\(label): \(report)")
        #expect(report.imported == content.items.count, "\(label): \(report)")
        let second = try await SpaceExport(engine: engine, space: elsewhere, version: version).run()
        let again = try await transfer.run(content.items, version: content.version)
        #expect(again.unchanged == content.items.count, "\(label): \(again)")
        return (String(decoding: first, as: UTF8.self), String(decoding: second, as: UTF8.self))
    }

    @Test("S5_15: what was exported in any version and imported elsewhere exports to the same bytes", arguments: 0..<4)
    func exportImportExportIsEqual(app: Int) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        var random = SplitMix64(seed: seed)
        try await withTestServer(DemoApps.all[app]) { server in
            try await fill(server, &random, seed: seed)
            try await server.withEngine { engine in
                for version in engine.plan.schemas.indices {
                    let (first, second) = try await roundTrip(engine, server.space, in: version, seed: seed)
                    let entities = engine.plan.projections[version].compactMap { $0?.entity }
                    let records = spared * entities.count { engine.plan.hub.entities[$0].singleton == nil }
                    #expect(records > 0 && first.split(separator: "\n").count > records, "seed \(seed)")
                    #expect(first == second, "seed \(seed), version \(engine.plan.schemas[version].version)")
                }
            }
        }
        #expect(DemoApps.all.count == 4, "an app is missing here")
    }

    /// An edit that came before the creation, or of what was collected: the record has no creation, and perhaps no
    /// stamp.
    @Test func whatNobodyHasCreatedIsImportedLikeAnyOther() async throws {
        try await withTestServer { server in
            try await server.device("0.1.1").push([
                .update("SDMealLogItem", .random(), ["name": "Oat milk"], at: moment(5)),
                .update("SDMealLogItem", .random(), [:], at: moment(5)),
            ])
            let twice = ID.random()
            for (version, stamp) in [("0.0.6", 7), ("0.1.1", 6)] as [(String, Int64)] {
                try await server.device(version).push([
                    .update("SDMealLogItem", twice, [version == "0.0.6" ? "notes" : "name": "n"], at: moment(stamp))
                ])
            }
            let contents = try await server.contents()
            try await server.withEngine { engine in
                for version in engine.plan.schemas.indices.suffix(6) {
                    let file = try await SpaceExport(engine: engine, space: server.space, version: version).run()
                    let content = try ExportReader(file, plan: engine.plan)
                    let report = try await SpaceImport(engine: engine, space: server.space)
                        .run(content.items, version: content.version)
                    #expect(report.unchanged == 3, "\(report)")
                }
                #expect(try await server.contents() == contents)
                for version in engine.plan.schemas.indices.suffix(6) {
                    let (first, second) = try await roundTrip(engine, server.space, in: version, seed: 0)
                    #expect(first == second && first.split(separator: "\n").count == 4, "\(first) \(second)")
                }
            }
        }
    }

    /// The comparison above sees a difference of one digit.
    @Test func anExportThatWasChangedOnItsWayIsAnother() async throws {
        try await withTestServer(AllesTeurerPlan.self) { server in
            try await server.device("2.0.0").push([
                .create(
                    "Purchase", ID(high: 7, low: 7), ["totalPrice": "1.6666666666666666666666666666666666667"],
                    at: moment(1))
            ])
            try await server.withEngine { engine in
                let (first, second) = try await roundTrip(engine, server.space, in: 1, seed: 0) { file in
                    let text = String(decoding: file, as: UTF8.self)
                    file = Array(text.replacing("6667\"", with: "6666\"").utf8)
                }
                #expect(first != second && first.contains("6667\""))
            }
        }
    }
}

extension RoundTripTests {
    /// In any version: not a value in any of its forms, not a reference to what is not there, and no stamp, or a device
    /// without a network would lose against what nobody did.
    @Test("P1, P5: a space that imports its own export stays as it is", arguments: 0..<4)
    func anOwnExportChangesNothing(app: Int) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        var random = SplitMix64(seed: seed)
        try await withTestServer(DemoApps.all[app]) { server in
            try await fill(server, &random, seed: seed)
            try await server.withEngine { engine in
                let before = try await everything(of: engine, server.space)
                let contents = try await server.contents()
                for version in engine.plan.schemas.indices.shuffled(using: &random) {
                    let file = try await SpaceExport(engine: engine, space: server.space, version: version).run()
                    let content = try ExportReader(file, plan: engine.plan)
                    let report = try await SpaceImport(engine: engine, space: server.space)
                        .run(content.items, version: content.version)
                    let label = "seed \(seed), version \(engine.plan.schemas[version].version)"
                    #expect(report.unchanged == content.items.count, "\(label): \(report)")
                    #expect(try await everything(of: engine, server.space) == before, "\(label)")
                    #expect(try await server.contents() == contents, "\(label)")
                }
            }
        }
    }

    /// Returns everything that each version receives of a space, with all stamps.
    private func everything(of engine: SyncEngine, _ space: ID) async throws -> [String] {
        var exports: [String] = []
        for version in engine.plan.schemas.indices {
            let export = SpaceExport(engine: engine, space: space, version: version)
            exports.append(String(decoding: try await export.run(), as: UTF8.self))
        }
        return exports
    }
}
