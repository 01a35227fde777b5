import DemoApps
import SyncTestSupport
import Testing
import WireFormats

/// EasitOpen's phones, whose stores an update wiped.
@Suite struct EasitOpenHistoryTests {
    private let bakery = ID.random()

    private func business(_ id: ID, at stamp: Int64) -> JSONValue {
        .create(
            "Business", id,
            [
                "name": "Corner Bakery", "address": "1 Sample Street", "latitude": 32.08, "longitude": 34.78,
                "dateAdded": "2026-01-31T08:00:00Z",
            ], at: stamp)
    }

    @Test("S5_01: a store that an update wiped is filled again, and its emptiness deletes nothing")
    func aWipedStoreIsFilledAgain() async throws {
        try await withTestServer(EasitOpenPlan.self) { server in
            let (phone, other) = (server.device(version: 0), server.device(version: 4))
            try await phone.push([business(bakery, at: moment(1))])
            try await other.pullAll()
            // The update wiped it, and gave it another identity or kept its own.
            for id in [phone.id, .random()] {
                let wiped = server.device("\(server.plan.schemas[4].version)", id: id)
                try await wiped.push()
                try await wiped.sync()
                #expect(await wiped.store == (try await server.view("2.0.0")))
                #expect(await wiped.holds("Business", bakery))
            }
            #expect(try await other.pullAll().isEmpty)
        }
    }

    @Test("S5_18: optional attributes that an update adds cost no record, in either direction")
    func optionalAttributesAreSafe() async throws {
        try await withTestServer(EasitOpenPlan.self) { server in
            let old = server.device(version: 0)
            try await old.push([business(bakery, at: moment(1))])
            let new = try await server.upgraded(old, from: 0, to: 1)
            #expect(await new.value("Business", bakery, "customLabel") == .null)
            #expect(try await new.pullAll().isEmpty)
            try await new.push([.update("Business", bakery, ["customLabel": "ours"], at: moment(2))])
            try await old.push([.update("Business", bakery, ["name": "Bakery"], at: moment(3))])
            try await new.pullAll()
            #expect(await new.value("Business", bakery, "customLabel") == "ours")
            #expect(await new.value("Business", bakery, "name") == "Bakery")
            #expect(await new.store == (try await server.view(new.version)))
        }
    }
}
