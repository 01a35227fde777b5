import DemoApps
import Operations
import SyncCommands
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Exports of one space in several versions, imported into another.
@Suite struct ExportOrderTests {
    /// A newer version's null that nobody has said is 0 to an older one.
    @Test func aNullThatNobodySaidStaysNullWhicheverExportComesFirst() async throws {
        try await withTestServer { server in
            try await server.device("0.1.1").push([.create("SDMeal", .random(), at: moment(1))])
            let entries = [ID.random(), ID.random()]
            try await server.device("0.0.5").push([.create("SDMoodEntry", entries[0], at: moment(2))])
            try await server.device("0.1.1").push([.create("SDMoodEntry", entries[1], at: moment(3))])
            try await expectNoOrder(of: Array(server.plan.schemas.indices), server, seed: 0)
        }
    }

    @Test("The order of two versions' exports of one space does not matter", arguments: 0..<4)
    func theOrderOfTwoExportsDoesNotMatter(app: Int) async throws {
        let seed = UInt64.random(in: 1...UInt64(Int64.max))
        var random = SplitMix64(seed: seed)
        try await withTestServer(DemoApps.all[app]) { server in
            let plan = server.plan
            let filling = SpaceFilling(plan, recordsPerEntity: 4, spared: 2, using: &random)
            var next: Int64 = 0
            for version in plan.schemas.indices.shuffled(using: &random) {
                let device = server.device(plan.schemas[version].version.description)
                let creations = filling.creations(in: version, from: next, using: &random)
                next += Int64(creations.count)
                // Half of them say nothing but what they must.
                try await device.push(creations)
                let bare = filling.creations(in: version, from: next, using: &random).map { creation in
                    bareCopy(of: creation, version: version, plan)
                }
                next += Int64(bare.count)
                try await device.push(bare)
            }
            try await expectNoOrder(of: Array(plan.schemas.indices), server, seed: seed)
        }
    }

    /// The same creation of another record, with what it must say alone.
    private func bareCopy(of creation: JSONValue, version: Int, _ plan: Plan) -> JSONValue {
        guard case .object(var change) = creation, case .object(let fields) = creation["fields"],
            let projection = plan.projection(version: version, named: creation["entity"].string ?? ""),
            plan.hub.entities[projection.entity].singleton == nil
        else { return creation }
        let needed = projection.fields.filter { !$0.isOmissible }.map(\.name)
        change["fields"] = .object(fields.filter { needed.contains($0.key) })
        if !plan.hub.entities[projection.entity].hasTextIDs { change["id"] = .id(.random()) }
        return .object(change)
    }

    private func expectNoOrder(of versions: [Int], _ server: TestServer, seed: UInt64) async throws {
        try await server.withEngine { engine in
            var contents: [ExportReader] = []
            for version in versions {
                let file = try await SpaceExport(engine: engine, space: server.space, version: version).run()
                contents.append(try ExportReader(file, plan: engine.plan))
            }
            func views(of space: ID, in versions: Set<Int>) async throws -> [[String]] {
                var views: [[String]] = []
                for version in versions.sorted() {
                    let bytes = try await SpaceExport(engine: engine, space: space, version: version).run()
                    views.append(String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init))
                }
                return views
            }
            func bring(_ order: [Int]) async throws -> [[String]] {
                let space = ID.random()
                for index in order {
                    let report = try await SpaceImport(engine: engine, space: space)
                        .run(contents[index].items, version: contents[index].version)
                    #expect(report.faults.isEmpty, "seed \(seed): \(report)")
                }
                return try await views(of: space, in: Set(order + [engine.plan.newest]))
            }
            for older in contents.indices {
                for newer in contents.indices where newer > older {
                    let (one, other) = (try await bring([older, newer]), try await bring([newer, older]))
                    let names = [older, newer].map { "\(engine.plan.schemas[$0].version)" }
                    let different = zip(one.joined(), other.joined()).first { $0 != $1 }
                    #expect(one == other, "seed \(seed), \(names): \(different as Any)")
                }
            }
        }
    }
}
