import DemoApps
import Foundation
import PGStore
import Postgres
import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

/// A database that was restored from a backup has another epoch, and its devices bring back what it lost.
@Suite struct RestoredBackupTests {
    private static let apps: [any SchemaMigrationPlan.Type] = [
        FitIQPlan.self, KeepTrackPlan.self, AllesTeurerPlan.self, EasitOpenPlan.self,
    ]

    @Test(arguments: apps.indices)
    func aFleetHealsAServerThatWasRestoredFromAnOldDump(app: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let lost = try await losses(Self.apps[app], seed: seed) { _ in }
        #expect(lost.isEmpty, "seed \(seed):\n\(lost.prefix(10).joined(separator: "\n"))")
    }

    /// A text of which the other versions read a number and no unit, though one of them had written both: what was read
    /// of it is another form of the same edit, with the same stamp, and comes first.
    @Test(arguments: [6393962278096987170 as UInt64]) func whatSaysMoreIsBroughtBackAfterWhatWasReadOfIt(
        seed: UInt64
    ) async throws {
        let lost = try await losses(FitIQPlan.self, seed: seed) { _ in }
        #expect(lost.isEmpty, "\(lost.prefix(10).joined(separator: "\n"))")
    }

    @Test func whatNobodyOffersIsMissed() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let lost = try await losses(KeepTrackPlan.self, seed: seed) { await $0.forgetToOffer() }
        #expect(!lost.isEmpty, "seed \(seed)")
    }

    /// Returns what a restored server lacks at the end, beside one that took the same changes and was not restored.
    private func losses(
        _ app: any SchemaMigrationPlan.Type, seed: UInt64, spoil: (TestDevice) async -> Void
    ) async throws -> [String] {
        try await withTestServer(app) { server in
            try await withTestServer(app) { control in
                let (made, known) = try await live(on: server, seed: seed, spoil: spoil)
                for (version, changes) in made {
                    try await control.device(version, id: nil).push(changes)
                }
                var received: [(healed: Received, expected: Received)] = []
                for version in server.plan.schemas.map({ $0.version.description }) {
                    let healed = try await Received(server.device(version).pullAll(), of: version)
                    try await received.append((healed, Received(control.device(version).pullAll(), of: version)))
                }
                var lost: [String] = []
                for (version, views) in zip(server.plan.schemas.map(\.version.description), received) {
                    // Others read what this version wrote in a form that depends on what they found.
                    let written = made.filter { $0.0 == version }.flatMap { $0.1.compactMap { $0["stamp"].int } }
                    lost += views.expected.losses(
                        in: views.healed, known: known[version] ?? [:], written: Set(written))
                }
                return lost
            }
        }
    }

    /// A fleet works, a dump is taken, it works on, the dump is restored under it, and it goes on.
    ///
    /// - Returns: everything that was made, by version, in the order of its stamps; and what devices of each version
    ///   still knew to have been said of each record when the dump was restored.
    private func live(
        on server: TestServer, seed: UInt64, spoil: (TestDevice) async -> Void
    ) async throws -> (made: [(String, [JSONValue])], known: [String: [String: Set<Int64>]]) {
        let file = FileManager.default.temporaryDirectory.appending(path: "syncserver-\(UUID()).dump").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        var random = SplitMix64(seed: seed)
        // Without references: devices see what went with another record as deleted, and forget what it was.
        var fleet = RandomFleet(server.plan, seed: seed, isLinking: false)
        var made: [(String, [JSONValue])] = []
        let versions = server.plan.schemas.indices
        let devices = versions.flatMap { position in
            (0..<2).map { _ in (position, server.device(server.plan.schemas[position].version.description)) }
        }
        for (_, device) in devices { await spoil(device) }
        func change(_ count: Int, _ position: Int, _ device: TestDevice) async throws {
            let changes = fleet.changes(by: position, count: count)
            made.append((device.version, changes))
            await device.make(changes)
        }
        for round in 0..<5 {
            if round == 2 { try server.database.dump(to: file) }
            for (position, device) in devices.shuffled(using: &random) {
                try await change(5, position, device)
                // Some read what they know for the first or last time long before the dump, or stay offline with it.
                if round == 1 || round == 4 || Bool.random(using: &random) { try await device.sync(limit: 20) }
                if round == 4 { try await change(2, position, device) }
            }
        }
        var known: [String: [String: Set<Int64>]] = [:]
        for (_, device) in devices {
            known[device.version, default: [:]].merge(await device.known) { $0.union($1) }
        }
        try await server.database.restore(from: file)
        // One who knows nothing of it is the first to edit.
        let newest = server.plan.newest
        let newDevice = server.device(server.plan.schemas[newest].version.description)
        try await change(5, newest, newDevice)
        try await newDevice.sync()
        for _ in 1...2 {
            for (_, device) in devices.shuffled(using: &random) { try await device.sync(limit: 20) }
        }
        for (_, device) in devices {
            let fresh = try await server.view(device.version)
            let differences = differences(await device.store, fresh)
            #expect(differences.isEmpty, "seed \(seed), a device of \(device.version): \(differences)")
        }
        return (made, known)
    }

    private func differences(_ one: TestDevice.Store, _ other: TestDevice.Store) -> String {
        let entities = Set(one.keys).union(other.keys).sorted()
        let found = entities.flatMap { entity in
            Set((one[entity] ?? [:]).keys).union((other[entity] ?? [:]).keys).sorted().compactMap { id -> String? in
                let (a, b) = (one[entity]?[id], other[entity]?[id])
                if a == b { return nil }
                guard let a, let b else { return "\(entity) \(id) is \(a == nil ? "missing" : "there")" }
                let names = a.keys.filter { a[$0] != b[$0] }.sorted()
                return "\(entity) \(id): "
                    + names.map { "\($0) is \(a[$0] ?? .null), not \(b[$0] ?? .null)" }.joined(separator: ", ")
            }
        }
        return found.prefix(10).joined(separator: "\n")
    }

    @Test func aCopyOfADatabaseHasAnEpochOfItsOwnAndTheSameOneKeepsIt() async throws {
        try await withTestServer { server in
            func epoch() async throws -> ID {
                _ = try await server.view("0.1.1")
                let session = try await server.database.session()
                let epoch = try await session.execute("SELECT epoch FROM sync.server").id(0, 0)
                await session.close()
                return epoch
            }
            let first = try await epoch()
            #expect(try await epoch() == first)
            let file = FileManager.default.temporaryDirectory.appending(path: "syncserver-\(UUID()).dump").path
            defer { try? FileManager.default.removeItem(atPath: file) }
            try server.database.dump(to: file)
            let device = server.device()
            try await device.push([.create("SDMeal", .random(), ["notes": "n"], at: moment(1))])
            try await server.database.restore(from: file)
            await #expect { try await device.pullAll() } throws: {
                ($0 as? TestDevice.Refused)?.reply.isProblem(410, "epoch-changed") == true
            }
            let second = try await epoch()
            #expect(second != first)
            try await device.sync()
            #expect(try await server.view("0.1.1")["SDMeal"]?.count == 1)
            #expect(try await epoch() == second)
        }
    }

    /// Each is sent only where it says more than the record's latest stamp.
    @Test func aPullSendsEveryStampIfAsked() async throws {
        try await withTestServer { server in
            let (meal, other, gone) = (ID.random(), ID.random(), ID.random())
            try await server.device().push([
                .create("SDMeal", meal, ["notes": "a", "mealType": "lunch"], at: moment(1)),
                .update("SDMeal", meal, ["notes": "b"], at: moment(2)),
                .create("SDMeal", other, ["notes": "a"], at: moment(3)),
                .delete("SDMeal", gone, at: moment(4)),
            ])
            let reply = try await server.send("GET", "\(server.path())?stamps=true")
            let changes = reply.json["changes"].elements
            #expect(changes[0]["stamp"].int == moment(2) && changes[0]["created"].int == moment(1))
            #expect(changes[0]["stamps"]["mealType"].int == moment(1))
            #expect(changes[0]["stamps"]["createdAt"].int == 0 && changes[0]["stamps"]["notes"].isNull)
            #expect(changes[1]["created"].isNull && changes[1]["stamps"]["mealType"].int == 0)
            #expect(changes[2]["deleted"].int == moment(4))
            let plain = try await server.send("GET", server.path())
            #expect(plain.json["changes"].elements.allSatisfy { $0["stamps"].isNull && $0["created"].isNull })
            #expect(try await server.send("GET", "\(server.path())?stamps=1").isProblem(400, "malformed"))
        }
    }
}

/// The records of a space that one version receives, with all stamps.
private struct Received {
    let version: String
    private let records: [String: JSONValue]

    init(_ changes: [JSONValue], of version: String) {
        self.version = version
        records = Dictionary(uniqueKeysWithValues: changes.map { ("\($0["entity"]) \($0["id"])", $0) })
    }

    /// Returns the edits that this holds and `other` does not. Those that no device knew are lost: edits of a record
    /// that was dead at that time, what went with another record, and defaults.
    func losses(in other: Received, known: [String: Set<Int64>], written: Set<Int64>) -> [String] {
        records.sorted { $0.key < $1.key }.flatMap { key, record -> [String] in
            let (found, known) = (other.records[key], known[record["id"].string ?? ""] ?? [])
            guard record["op"] == "update" else {
                let isDead = found == nil || found?["op"] == "delete"
                return isDead || !known.contains(record["deleted"].int ?? -1)
                    ? [] : ["\(version): \(key) is there again"]
            }
            guard let found, found["op"] == "update" else {
                return known.contains(record["created"].int ?? record["stamp"].int ?? -1)
                    ? ["\(version): \(key) is missing"] : []
            }
            return record["fields"].members.keys.sorted().compactMap { name in
                let stamp = record["stamps"][name].int ?? record["stamp"].int ?? 0
                let (value, expected) = (found.said(name), record.said(name))
                if value == expected || !known.contains(stamp) || !written.contains(stamp) { return nil }
                return "\(version): \(key) \(name) is \(value), not \(expected)"
            }
        }
    }
}

extension JSONValue {
    /// The value of an attribute, whether the record that it refers to is there or not.
    fileprivate func said(_ name: String) -> JSONValue {
        self["absent"][name].isNull ? self["fields"][name] : self["absent"][name]
    }
}
