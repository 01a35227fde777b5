import Operations
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import SyncCommands

/// Ids that are texts, in exports and in the commands of operators.
@Suite struct TextIDTransferTests {
    private func fill(_ server: TestServer) async throws {
        let texts = ["dune", "e\u{301}", "\u{E9}", "A\"B", ID.random().description.uppercased()]
        try await server.device("2.0.0").push(
            [.create("Shelf", "sand", ["name": "Sand"], at: moment(1))]
                + texts.map { .create("Book", $0, ["title": .string($0), "shelf": "sand"], at: moment(2)) } + [
                    // Refers to what is not there.
                    .create("Book", "lost", ["sequel": "never"], at: moment(3)),
                    .create("Card", ID.random(), ["book": "dune"], at: moment(3)),
                    .create("Book", ID.random(), at: moment(3)),
                ])
    }

    @Test("An export of a version in which ids are texts imports elsewhere as it was", arguments: [1, 2])
    func exportsRoundTrip(version: Int) async throws {
        try await withBookshop { server in
            try await fill(server)
            try await server.withEngine { engine in
                let first = try await SpaceExport(engine: engine, space: server.space, version: version).run()
                let content = try ExportReader(first, plan: engine.plan)
                let elsewhere = ID.random()
                let transfer = SpaceImport(engine: engine, space: elsewhere)
                let report = try await transfer.run(content.items, version: content.version)
                #expect(report.faults.isEmpty && report.imported == 9, "\(report)")
                let second = try await SpaceExport(engine: engine, space: elsewhere, version: version).run()
                #expect(String(decoding: first, as: UTF8.self) == String(decoding: second, as: UTF8.self))
                #expect(String(decoding: first, as: UTF8.self).contains(#""absent":{"sequel":"never"}"#))
                let again = try await transfer.run(content.items, version: content.version)
                #expect(again.unchanged == 9, "\(again)")
            }
        }
    }

    /// There the texts are not in it; a UUID that the server made is no id anywhere else.
    @Test func anExportOfAnOlderVersionIsOfTheSpaceItself() async throws {
        try await withBookshop { server in
            try await fill(server)
            try await server.withEngine { engine in
                let first = try await SpaceExport(engine: engine, space: server.space, version: 0).run()
                let content = try ExportReader(first, plan: engine.plan)
                let here = try await SpaceImport(engine: engine, space: server.space).run(
                    content.items, version: content.version)
                #expect(here.unchanged == 9, "\(here)")
                let elsewhere = try await SpaceImport(engine: engine, space: ID.random()).run(
                    content.items, version: content.version)
                #expect(elsewhere.imported == 1 && elsewhere.faults.count == 8, "\(elsewhere)")
                #expect(elsewhere.faults.allSatisfy { "\($0)".contains("unknown-id") })
            }
        }
    }

    @Test func operatorsSeeWhatTheDeviceCalledIt() async throws {
        try await withBookshop(OneFault.self) { server in
            let answer = try await server.device("2.0.0").push([
                .create("Book", "dune\u{1B}[2J", ["price": "13"], at: moment(1)),
                .create("Book", ID(high: 1, low: 2), ["price": "13"], at: moment(1)),
            ])
            #expect(answer.verdicts == ["held", "held"])
            let held = try await server.held()
            #expect(held.map(\.recordText) == ["dune\u{1B}[2J", "00000000-0000-0001-0000-000000000002"])
            #expect(held[0].name.hasSuffix("create Book dune\u{FFFD}[2J"), "\(held[0].name)")
            #expect(held[0].line(at: .now).contains(" dune\u{FFFD}[2J "), "\(held[0].line(at: .now))")
        }
    }
}
