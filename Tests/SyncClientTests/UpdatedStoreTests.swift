import DemoApps
import Foundation
import SyncClient
import SyncTestSupport
import Testing
import WireFormats

/// Stores whose app was updated, replaced by an older version, or copied.
@Suite struct UpdatedStoreTests {
    private static func older(_ name: String) -> EasitOpen100.Business {
        EasitOpen100.Business(
            name: name, address: "Hauptstraße 1", latitude: 52.5, longitude: 13.4, phoneNumber: "030 1",
            dateAdded: Date(timeIntervalSince1970: 1_700_000_000))
    }

    @Test func anUpdateKeepsRecordsAndUnsentChanges() async throws {
        try await Shop.with { shop in
            let (bakery, cafe) = (Self.older("Bakery"), Self.older("Café"))
            do {
                let store = try shop.olderStore("phone")
                try await store.write { try $0.insert(bakery) }
                try await store.syncOnce()
                try await store.write { transaction in
                    try transaction.insert(cafe)
                    try transaction.update(EasitOpen100.Business.self, id: bakery.recordID) { $0.phoneNumber = "030 2" }
                }
            }
            let store = try shop.store("phone")
            // Before anything is sent, and afterwards.
            for _ in 0..<2 {
                let records = try await store.records(of: EasitOpen200.Business.self)
                #expect(Set(records.map(\.name)) == ["Bakery", "Café"])
                #expect(records.first { $0.id == bakery.id }?.phone == "030 2")
                try await store.syncOnce()
            }
            #expect(try await store.pendingCount == 0)
            let fresh = try shop.store("fresh")
            try await fresh.syncOnce()
            let (here, there) = (
                try await store.fields(of: "Business"), try await fresh.fields(of: "Business")
            )
            #expect(here == there)
        }
    }

    @Test func anUnsentDeletionOfTheOlderVersionIsKept() async throws {
        try await Shop.with { shop in
            let bakery = Self.older("Bakery")
            do {
                let store = try shop.olderStore("phone")
                try await store.write { try $0.insert(bakery) }
                try await store.syncOnce()
                try await store.write { try $0.delete(bakery) }
            }
            let store = try shop.store("phone")
            #expect(try await store.records(of: EasitOpen200.Business.self).isEmpty)
            try await store.syncOnce()
            #expect(try await store.records(of: EasitOpen200.Business.self).isEmpty)
            #expect(try await shop.server.view("2.0.0")["Business"]?.isEmpty ?? true)
        }
    }

    @Test func anAppThatGoesBackReadsAnewAndSendsWhatTheNewerWrote() async throws {
        try await Shop.with { shop in
            let bakery = Shop.business("Bakery")
            do {
                let store = try shop.store("phone")
                try await store.write { try $0.insert(Shop.business("Café")) }
                try await store.syncOnce()
                try await store.write { try $0.insert(bakery) }
            }
            let store = try shop.olderStore("phone")
            #expect(try await store.pendingCount == 1)
            try await store.syncOnce()
            let names = Set(try await store.records(of: EasitOpen100.Business.self).map(\.name))
            #expect(names == ["Bakery", "Café"])
        }
    }

    @Test func aCopyIsAnotherDevice() async throws {
        try await Shop.with { shop in
            let original = try shop.store("phone")
            try await original.write { try $0.insert(Shop.business("Bakery")) }
            for ending in ["", "-wal", "-shm"] {
                try? FileManager.default.copyItem(
                    atPath: shop.file("phone").path + ending, toPath: shop.file("copy").path + ending)
            }
            let copy = try shop.store("copy")
            let again = try shop.store("phone")
            let ids = [await original.deviceID, await copy.deviceID, await again.deviceID]
            #expect(ids[0] == ids[2] && ids[0] != ids[1])
            try await original.syncOnce()
            try await copy.syncOnce()
            #expect(try await copy.records(of: EasitOpen200.Business.self).count == 1)
        }
    }

    @Test func twoProcessesMayHaveOneStore() async throws {
        try await Shop.with { shop in
            let (app, widget) = (try shop.store("phone"), try shop.store("phone"))
            try await app.write { try $0.insert(Shop.business("Bakery")) }
            try await widget.write { try $0.insert(Shop.business("Café")) }
            #expect(try await app.records(of: EasitOpen200.Business.self).count == 2)
            async let first = app.syncOnce()
            async let second = widget.syncOnce()
            _ = try await (first, second)
            #expect(try await app.pendingCount == 0)
            #expect(try await shop.server.view("2.0.0")["Business"]?.count == 2)
        }
    }
}
