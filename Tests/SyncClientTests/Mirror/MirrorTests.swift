import DemoApps
import Foundation
import SyncClient
import SyncTestSupport
import Testing
import WireFormats

/// An app's own store beside a `SyncStore`: changes pass in both directions, interruptions lose nothing, and no change
/// comes back as an echo.
@Suite struct MirrorTests {
    private typealias Business = EasitOpen200.Business

    private struct Device {
        let app: AppStore
        let store: SyncStore
        let mirror: SyncMirror

        init(_ shop: Shop, _ name: String, _ app: AppStore = AppStore()) throws {
            self.app = app
            store = try shop.store(name)
            mirror = SyncMirror(of: app, in: store)
        }

        /// Writes a record, as the user does.
        func write(_ business: Business) throws {
            let fields = try business.fields
            app.edit { $0.write(business.key, fields) }
        }

        func set(_ key: RecordKey, _ name: String, _ value: Value) {
            app.edit { state in
                guard var fields = state.records[key] else { return }
                fields[name] = value
                state.write(key, fields)
            }
        }

        func name(_ key: RecordKey) -> String? {
            guard case .string(let text)? = app.records[key]?["name"] else { return nil }
            return text
        }
    }

    private static func devices(_ body: (Shop, Device, Device) async throws -> Void) async throws {
        try await Shop.with { shop in try await body(shop, try Device(shop, "phone"), try Device(shop, "tablet")) }
    }

    @Test func whatOneAppWritesTheOtherHas() async throws {
        try await Self.devices { _, phone, tablet in
            let bakery = Shop.business("Bakery")
            try phone.write(bakery)
            try await phone.mirror.syncOnce()
            try await tablet.mirror.syncOnce()
            #expect(tablet.app.records == phone.app.records && tablet.app.records.count == 1)
            tablet.set(bakery.key, "name", .string("Boulangerie"))
            phone.set(bakery.key, "phone", .string("030 1"))
            for device in [tablet, phone, tablet] { try await device.mirror.syncOnce() }
            #expect(phone.name(bakery.key) == "Boulangerie" && tablet.app.records == phone.app.records)
            #expect(tablet.app.records[bakery.key]?["phone"] == .string("030 1"))
            phone.app.edit { $0.write(bakery.key, nil) }
            for device in [phone, tablet] { try await device.mirror.syncOnce() }
            #expect(tablet.app.records.isEmpty)
        }
    }

    @Test func whatIsTakenOverIsNotSentBack() async throws {
        try await Self.devices { _, phone, tablet in
            for number in 0..<10 { try phone.write(Shop.business("Shop \(number)")) }
            #expect(try await phone.mirror.syncOnce().sent == 10)
            for device in [tablet, phone, tablet, phone] { #expect(try await device.mirror.syncOnce().sent == 0) }
            #expect(try await tablet.store.pendingCount == 0)
        }
    }

    @Test func anInterruptedWriteIsNobodysEdit() async throws {
        for fault in [AppStore.Fault.beforeWriting, .afterWriting, .onReading] {
            try await Self.devices { shop, phone, tablet in
                let bakery = Shop.business("Bakery")
                try phone.write(bakery)
                for device in [phone, tablet] { try await device.mirror.syncOnce() }
                phone.set(bakery.key, "name", .string("Boulangerie"))
                try phone.write(Shop.business("Café"))
                try await phone.mirror.syncOnce()
                tablet.app.set(fault)
                await #expect(throws: AppStore.Interrupted.self) { try await tablet.mirror.syncOnce() }
                // A third device writes before the tablet's process is back.
                phone.set(bakery.key, "name", .string("Panificio"))
                try await phone.mirror.syncOnce()
                let again = try Device(shop, "tablet", tablet.app)
                #expect(try await again.mirror.syncOnce().sent == 0)
                try await phone.mirror.syncOnce()
                #expect(phone.name(bakery.key) == "Panificio" && tablet.app.records == phone.app.records)
            }
        }
    }

    @Test func whatTheUserWritesMeanwhileStays() async throws {
        try await Self.devices { _, phone, tablet in
            let (bakery, cafe) = (Shop.business("Bakery"), Shop.business("Café"))
            try phone.write(bakery)
            try phone.write(cafe)
            for device in [phone, tablet] { try await device.mirror.syncOnce() }
            phone.set(bakery.key, "name", .string("Boulangerie"))
            phone.set(bakery.key, "phone", .string("030 1"))
            phone.app.edit { $0.write(cafe.key, nil) }
            try await phone.mirror.syncOnce()
            tablet.app.edit { state in
                state.meanwhile = { state in
                    for (key, name) in [(bakery.key, "Panificio"), (cafe.key, "Caffè")] {
                        guard var fields = state.records[key] else { continue }
                        fields["name"] = .string(name)
                        state.write(key, fields)
                    }
                }
            }
            for device in [tablet, tablet, phone] { try await device.mirror.syncOnce() }
            #expect(tablet.name(bakery.key) == "Panificio" && tablet.name(cafe.key) == "Caffè")
            #expect(phone.app.records[bakery.key]?["phone"] == .string("030 1"))
            #expect(phone.app.records == tablet.app.records)
        }
    }

    @Test func aRestoredHistoryIsReadAsAWhole() async throws {
        try await Self.devices { _, phone, tablet in
            let (bakery, cafe) = (Shop.business("Bakery"), Shop.business("Café"))
            for business in [bakery, cafe] { try phone.write(business) }
            for device in [phone, tablet] { try await device.mirror.syncOnce() }
            phone.set(bakery.key, "name", .string("Boulangerie"))
            phone.app.edit { $0.write(cafe.key, nil) }
            phone.app.cutHistory()
            for device in [phone, tablet] { try await device.mirror.syncOnce() }
            #expect(tablet.name(bakery.key) == "Boulangerie" && tablet.app.records.count == 1)
        }
    }

    @Test func anAppThatBeginsKeepsItsRecordsAndGivesWayToTheServers() async throws {
        try await Self.devices { shop, phone, tablet in
            let (bakery, cafe) = (Shop.business("Bakery"), Shop.business("Café"))
            try phone.write(bakery)
            try await phone.mirror.syncOnce()
            var older = bakery
            older.name = "Old bakery"
            for business in [older, cafe] { try tablet.write(business) }
            for device in [tablet, phone] { try await device.mirror.syncOnce() }
            #expect(tablet.name(bakery.key) == "Bakery" && tablet.app.records == phone.app.records)
            #expect(phone.app.records.count == 2)
            let conflicts = try await tablet.store.conflicts()
            #expect(conflicts.map(\.kept) == [["name"]] && conflicts.map(\.verdict) == [.superseded])
            try await tablet.store.resend(try #require(conflicts.first))
            for device in [tablet, phone] { try await device.mirror.syncOnce() }
            #expect(phone.name(bakery.key) == "Old bakery" && tablet.app.records == phone.app.records)
            // After a new installation, missing records do not count as deleted.
            let again = try Device(shop, "tablet")
            #expect(try await again.mirror.syncOnce().sent == 0)
            #expect(again.app.records == phone.app.records)
        }
    }

    /// - Parameter isBusy: true if the user edits while the mirror reads the changes that the update made.
    @Test(arguments: [false, true]) func anUpdateSendsWhatTheUserDidAndNotWhatTheAppsCodeDid(isBusy: Bool) async throws
    {
        try await Shop.with { shop in
            let app = AppStore()
            let bakery = EasitOpen100.Business(
                name: "Bakery", address: "Hauptstraße 1", latitude: 52.5, longitude: 13.4, phoneNumber: "030 1",
                dateAdded: Date(timeIntervalSince1970: 1_700_000_000))
            do {
                let mirror = SyncMirror(of: app, in: try shop.olderStore("phone"))
                let fields = try bakery.fields
                app.edit { $0.write(bakery.key, fields) }
                try await mirror.syncOnce()
                app.edit { state in
                    state.records[bakery.key]?["name"] = .string("Boulangerie")
                    state.history.append(bakery.key)
                }
            }
            // The app's own migration: the attribute's new name, and a value of the new attribute.
            app.edit { state in
                guard var fields = state.records[bakery.key] else { return }
                fields["phone"] = fields.removeValue(forKey: "phoneNumber")
                state.records = [RecordKey(entity: "Business", id: bakery.recordID): fields]
            }
            let phone = try Device(shop, "phone", app)
            if isBusy {
                app.edit { state in
                    state.whileListing = { state in
                        let key = RecordKey(entity: "Business", id: bakery.recordID)
                        guard var fields = state.records[key] else { return }
                        fields["name"] = .string("Panificio")
                        state.write(key, fields)
                    }
                }
            }
            let sent = try await phone.mirror.syncOnce().sent
            #expect(sent == (isBusy ? 2 : 1))
            let seen = try #require(try await phone.store.record(Business.self, id: bakery.recordID))
            #expect(seen.name == (isBusy ? "Panificio" : "Boulangerie") && seen.phone == "030 1")
            let fields = try seen.fields
            #expect(phone.app.records[seen.key]?.filter { !$0.value.isNull } == fields.filter { !$0.value.isNull })
            #expect(try await phone.mirror.syncOnce().sent == 0)
        }
    }

    @Test func whatCannotBeSentDoesNotKeepTheRest() async throws {
        try await Self.devices { _, phone, _ in
            let bakery = Shop.business("Bakery")
            try phone.write(bakery)
            phone.set(bakery.key, "latitude", .string("north"))
            try phone.write(Shop.business("Café"))
            #expect(try await phone.mirror.syncOnce().sent == 1)
            #expect(try await phone.store.conflicts().map(\.verdict) == [.unsendable])
        }
    }

    /// Random edits, interruptions, cut histories and syncs. In the end all devices have the same records, each user's
    /// last edit of an attribute wins unless another user's is later, and no change was sent that no user made.
    @Test(arguments: 1...12) func randomEditsEndAlike(seed: UInt64) async throws {
        try await Self.devices { shop, phone, tablet in
            var source = SplitMix64(seed: seed)
            var devices = [phone, tablet]
            var (edits, sent) = (0, 0)
            let keys = (0..<6).map {
                Shop.business("Shop \($0)", id: UUID(uuid: (UInt8($0), 0, 0, 0, 0, 0, 64, 0, 128, 0, 0, 0, 0, 0, 0, 1)))
            }
            for step in 0..<120 {
                let index = Int.random(in: 0..<2, using: &source)
                let device = devices[index]
                let business = keys.randomElement(using: &source) ?? keys[0]
                let isThere = device.app.records[business.key] != nil
                switch Int.random(in: 0..<12, using: &source) {
                case 0..<5 where isThere:
                    device.set(
                        business.key, ["name", "address"].randomElement(using: &source) ?? "name", .string("\(step)"))
                    edits += 1
                case 0..<5:
                    try device.write(business)
                    edits += 1
                case 5 where isThere:
                    device.app.edit { $0.write(business.key, nil) }
                    edits += 1
                case 6: device.app.cutHistory()
                case 7:
                    device.app.set([.beforeWriting, .afterWriting, .onReading].randomElement(using: &source) ?? .none)
                    do { sent += try await device.mirror.syncOnce().sent } catch is AppStore.Interrupted {}
                    device.app.set(.none)
                    devices[index] = try Device(shop, index == 0 ? "phone" : "tablet", device.app)
                default: sent += try await device.mirror.syncOnce().sent
                }
            }
            for device in devices + devices { sent += try await device.mirror.syncOnce().sent }
            let fresh = try Device(shop, "fresh")
            try await fresh.mirror.syncOnce()
            for device in devices { #expect(device.app.records == fresh.app.records, "seed \(seed)") }
            #expect(sent <= edits, "seed \(seed)")
        }
    }
}
