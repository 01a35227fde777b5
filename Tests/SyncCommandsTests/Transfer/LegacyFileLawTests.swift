import DemoApps
import Operations
import SyncCommands
import SyncEngine
import SyncServer
import SyncTestSupport
import Testing
import WireFormats

/// Laws of files that apps wrote, over all of their forms: the order in which a set of them is imported does not
/// matter, nor how often; the latest that has a record says all of it; and what two say is never mixed.
@Suite struct LegacyFileLawTests {
    private struct File {
        let text: String
        let content: ImportContent
    }

    private struct Key: Hashable {
        let entity: Int
        let id: String
    }

    private func file(
        _ app: LegacyFileGenerator.App, _ files: LegacyFiles, _ generator: inout LegacyFileGenerator
    ) throws -> File {
        let text = generator.pick(app.forms)(&generator)
        // Few, so that some are equal; and some files have none.
        let time = try generator.pick([nil, 1, 2, 2, 3]).map { (day: Int) in try Timestamp("2025-11-0\(day)T10:00:00Z")
        }
        return File(text: text, content: try files.content(of: text, at: time))
    }

    /// The fields that the last of the files of a record say of it, with the versions that they say them in.
    private func latest(_ written: [File], _ plan: Plan) throws -> [Key: [(version: Int, fields: JSONValue)]] {
        var latest: [Key: (time: Int64, rows: [(version: Int, fields: JSONValue)])] = [:]
        for file in written {
            let time = max(0, (file.content.time?.time.microseconds ?? 0) / 1_000_000)
            for item in file.content.items {
                let change = try JSONValue(parsing: item.change)
                let version = try #require(
                    Schema.Version(change["version"].string ?? "").flatMap { plan.index(of: $0) })
                let entity = try #require(plan.projection(version: version, named: change["entity"].string ?? ""))
                let key = Key(entity: entity.entity, id: try #require(change["id"].string))
                let row = (version, change["fields"])
                guard let known = latest[key], known.time >= time else {
                    latest[key] = (time, [row])
                    continue
                }
                if known.time == time { latest[key]?.rows.append(row) }
            }
        }
        return latest.mapValues(\.rows)
    }

    @Test(
        "Any order and repetition of a set of files ends the same; the latest stands",
        arguments: LegacyFileGenerator.apps)
    func filesOfAllForms(app: LegacyFileGenerator.App) async throws {
        let files = try LegacyFiles(of: app.plan, in: "")
        try await files.withEngine { engine in
            for _ in 0..<60 {
                let seed = UInt64.random(in: 1...UInt64(Int64.max))
                var generator = LegacyFileGenerator(seed: seed)
                let written = try (0..<generator.pick(2...4)).map { _ in try file(app, files, &generator) }
                let label: Comment = "seed \(seed): \(written.map { "\($0.content.time?.time as Any) \($0.text)" })"
                var spaces: [ID] = []
                for order in [written, generator.shuffled(written + written), written.reversed()] {
                    let space = ID.random()
                    for file in order {
                        let report = try await files.bring(file.content, into: space, engine)
                        #expect(report.faults.isEmpty, label)
                    }
                    spaces.append(space)
                }
                var views: [[Key: JSONValue]] = []
                for version in files.plan.schemas.indices {
                    let records = try await files.records(engine, spaces[0], in: version)
                    for space in spaces.dropFirst() {
                        #expect(try await files.records(engine, space, in: version) == records, label)
                    }
                    views.append([:])
                    for record in records {
                        let entity = files.plan.projection(version: version, named: record["entity"].string ?? "")
                        let key = Key(entity: try #require(entity?.entity), id: record["id"].string ?? "")
                        views[version][key] = record["fields"]
                    }
                }
                for (key, rows) in try latest(written, files.plan) {
                    let isLatest = rows.contains { version, fields in
                        guard case .object(let said) = fields, let view = views[version][key] else { return false }
                        return said.allSatisfy { view[$0.key] == $0.value }
                    }
                    #expect(isLatest, label)
                }
            }
        }
    }
}
