import DemoApps
import SyncTestSupport
import Testing
import WireFormats

/// KeepTrack's phones, from before it had versions to 2.0.0.
@Suite struct KeepTrackHistoryTests {
    private static let names = ["SDEntryV0", "SDEntryV1", "SDEntry"]
    private static let settingsNames = ["SDAppSettingsV0", "SDAppSettingsV1", "SDAppSettings"]

    private func entry(_ id: ID, in version: Int, name: String, at stamp: Int64) -> JSONValue {
        .create(
            KeepTrackHistoryTests.names[version], id,
            [
                "date": "2026-01-31T08:00:00Z", "units": "ml", "amount": .int(stamp & 0xFFFF), "name": .string(name),
                "goalMet": false,
            ], at: stamp)
    }

    @Test("S3_05, S3_06: devices that create the same key offline, before, under and after its uniqueness, share it")
    func theSameKeyIsOneRecordInEveryVersion() async throws {
        try await withTestServer(KeepTrackPlan.self) { server in
            let id = ID.random()
            let devices = [2, 0, 1].map { ($0, server.device(version: $0)) }
            for (version, device) in devices {
                await device.make([entry(id, in: version, name: "of \(version)", at: moment(Int64(version + 1)))])
            }
            for (_, device) in devices { try await device.sync() }
            for (version, device) in devices {
                try await device.pullAll()
                let name = KeepTrackHistoryTests.names[version]
                #expect(await device.store.withoutEmpty.mapValues(\.count) == [name: 1])
                #expect(await device.value(name, id, "name") == "of 2")
                // An edit of any of them is one of that record.
                try await device.push([.update(name, id, ["units": .string("u\(version)")], at: nil)])
            }
            for version in 0...2 {
                #expect(try await server.view(device: version)[KeepTrackHistoryTests.names[version]]?.count == 1)
            }
            #expect(try await server.view(device: 1)["SDEntryV1"]?[id.description]?["units"] == "u1")
        }
    }

    @Test("S3_08: updates that write the time of the update into settings never beat what a person chose")
    func theTimeOfAnUpdateBeatsNobodysChoice() async throws {
        try await withTestServer(KeepTrackPlan.self) { server in
            let id = try #require(server.plan.hub.entities[3].singleton)
            let settings: [String: JSONValue] = [
                "notificationsEnabled": true, "preferredUnits": "metric", "theme": "light", "autoBackupEnabled": false,
                "cloudSyncEnabled": true, "createdAt": "2026-01-31T08:00:00Z", "modifiedAt": "2026-01-31T08:00:00Z",
            ]
            try await server.device(version: 0).push([.create("SDAppSettingsV0", id, settings, at: moment(1))])
            let person = server.device(version: 1)
            try await person.pullAll()
            // Chosen offline before the others update, and sent after.
            await person.make([.update("SDAppSettingsV1", id, ["theme": "dark"], at: moment(2))])
            for index in 0..<3 {
                let old = server.device(version: 0)
                try await old.pullAll()
                let before = try await server.contents()
                let device = try await server.upgraded(old, from: 0, to: 2)
                try await device.pullAll()
                #expect(try await server.contents() == before)
                try await device.push([
                    .update(
                        "SDAppSettings", id, ["modifiedAt": .string("2026-02-01T0\(index):00:00Z")],
                        at: moment(Int64(10 + index)))
                ])
            }
            #expect(try await person.push().verdicts == ["applied"])
            for version in 0...2 {
                let seen = try await server.view(device: version)[KeepTrackHistoryTests.settingsNames[version]]
                #expect(seen?[id.description]?["theme"] == "dark")
                #expect(seen?[id.description]?["modifiedAt"] == "2026-02-01T02:00:00Z")
            }
        }
    }
}

extension TestServer {
    fileprivate func view(device version: Int) async throws -> TestDevice.Store {
        try await view("\(plan.schemas[version].version)")
    }
}
