import Foundation
import SyncClient
import SyncTestSupport
import Synchronization
import Testing
import WireFormats

/// An app's view of its store: immediately, offline, after a restart, and after a sync.
@Suite struct SyncStoreTests {
    private typealias Business = EasitOpen200.Business

    @Test func whatIsWrittenIsThereAtOnceAndArrivesElsewhere() async throws {
        try await Shop.with { shop in
            let (phone, tablet) = (try shop.store("phone"), try shop.store("tablet"))
            let bakery = Shop.business("Bäckerei")
            try await phone.write { try $0.insert(bakery) }
            #expect(try await phone.records(of: Business.self) == [bakery])
            #expect(try await phone.pendingCount == 1)
            let sent = try await phone.syncOnce()
            #expect(sent.sent == 1 && sent.received == 0 && sent.isComplete)
            #expect(try await phone.records(of: Business.self) == [bakery])
            try await tablet.syncOnce()
            #expect(try await tablet.record(Business.self, id: bakery.recordID) == bakery)
        }
    }

    @Test func whatIsWrittenOfflineIsThereAfterARestart() async throws {
        try await Shop.with { shop in
            let bakery = Shop.business("Bakery")
            do {
                let store = try shop.store("phone", port: 1)
                try await store.write { try $0.insert(bakery) }
                await #expect(throws: SyncFailure.self) { try await store.syncOnce() }
                let isOffline = if case .offline = await store.status { true } else { false }
                #expect(isOffline)
            }
            let store = try shop.store("phone")
            #expect(try await store.records(of: Business.self) == [bakery])
            try await store.syncOnce()
            #expect(try await store.pendingCount == 0)
            #expect(try await shop.server.view("2.0.0")["Business"]?.count == 1)
        }
    }

    @Test func offlineIsSinceTheFirstOfTheFailedAttempts() async throws {
        try await Shop.with { shop in
            let clock = Mutex(Date(timeIntervalSince1970: 1_700_000_000))
            let store = try shop.store("phone", port: 1, now: { clock.withLock { $0 } })
            var beginnings: [Date] = []
            for _ in 0..<3 {
                await #expect(throws: SyncFailure.self) { try await store.syncOnce() }
                if case .offline(let since, _) = await store.status { beginnings.append(since) }
                clock.withLock { $0 += 60 }
            }
            #expect(beginnings == Array(repeating: Date(timeIntervalSince1970: 1_700_000_000), count: 3))
        }
    }

    /// A deadline in the past ends a sync after its first request.
    @Test func aSyncThatItsDeadlineEndedIsNotComplete() async throws {
        try await Shop.with { shop in
            let store = try shop.store("phone")
            try await store.write { transaction in
                for number in 0..<1200 { try transaction.insert(Shop.business("Shop \(number)")) }
            }
            let summary = try await store.syncOnce(deadline: .now)
            #expect(!summary.isComplete)
            #expect(await store.status == .idle(since: nil))
            try await store.syncOnce()
            if case .idle(since: .some) = await store.status {} else { Issue.record("\(await store.status)") }
        }
    }

    @Test func aWriteThatThrowsLeavesNothing() async throws {
        try await Shop.with { shop in
            let store = try shop.store("phone")
            await #expect(throws: SyncSchemaError.self) {
                try await store.write { transaction in
                    try transaction.insert(Shop.business("Bakery"))
                    try transaction.apply(.update(RecordKey(entity: "Business", id: RecordID("x")), ["colour": .null]))
                }
            }
            #expect(try await store.pendingCount == 0)
            #expect(try await store.records(of: Business.self).isEmpty)
        }
    }

    @Test func onlyWhatChangedIsSentSoThatBothEditsStay() async throws {
        try await Shop.with { shop in
            let (phone, tablet) = (try shop.store("phone"), try shop.store("tablet"))
            let bakery = Shop.business("Bakery")
            try await phone.write { try $0.insert(bakery) }
            try await phone.syncOnce()
            try await tablet.syncOnce()
            try await tablet.write { try $0.update(Business.self, id: bakery.recordID) { $0.isFavorite = true } }
            try await phone.write { try $0.update(Business.self, id: bakery.recordID) { $0.name = "Boulangerie" } }
            try await tablet.syncOnce()
            try await phone.syncOnce()
            try await tablet.syncOnce()
            for store in [phone, tablet] {
                let record = try #require(try await store.record(Business.self, id: bakery.recordID))
                #expect(record.name == "Boulangerie" && record.isFavorite)
            }
        }
    }

    @Test func whatLosesIsAConflictAndTheLaterWins() async throws {
        try await Shop.with { shop in
            let (before, tablet) = (try shop.store("phone"), try shop.store("tablet"))
            let bakery = Shop.business("Bakery")
            try await before.write { try $0.insert(bakery) }
            try await before.syncOnce()
            try await tablet.syncOnce()
            // The phone's clock is behind, and no response has corrected it yet.
            let phone = try shop.store("phone", now: { Date(timeIntervalSinceNow: -60) })
            try await phone.write { try $0.update(Business.self, id: bakery.recordID) { $0.name = "earlier" } }
            try await phone.write {
                try $0.update(Business.self, id: bakery.recordID) { ($0.address, $0.name) = ("Ring 2", "early") }
            }
            try await tablet.write { try $0.update(Business.self, id: bakery.recordID) { $0.name = "later" } }
            try await tablet.syncOnce()
            let summary = try await phone.syncOnce()
            #expect(summary.conflicts == 2)
            let conflicts = try await phone.conflicts()
            #expect(conflicts.map(\.verdict) == [.superseded, .merged] && conflicts.last?.kept == ["name"])
            let record = try await phone.record(Business.self, id: bakery.recordID)
            #expect(record?.name == "later" && record?.address == "Ring 2")
            for conflict in conflicts { try await phone.dismiss(conflict) }
            #expect(try await phone.conflicts().isEmpty)
        }
    }

    @Test func aStoreThatLosesMostIsAskedBeforeAllIsDeleted() async throws {
        try await Shop.with(judgesDeletions: true) { shop in
            let phone = try shop.store("phone")
            let shops = (0..<30).map { Shop.business("Shop \($0)") }
            try await phone.write { transaction in for shop in shops { try transaction.insert(shop) } }
            try await phone.syncOnce()
            try await phone.write { transaction in for shop in shops { try transaction.delete(shop) } }
            #expect(try await phone.records(of: Business.self).isEmpty)
            try await phone.syncOnce()
            let conflicts = try await phone.conflicts()
            #expect(conflicts.count == 30 && conflicts.allSatisfy { $0.code == "mass-deletion" })
            #expect(try await phone.records(of: Business.self).count == 30)
            for conflict in conflicts { try await phone.resend(conflict, isMassDeletion: true) }
            try await phone.syncOnce()
            #expect(try await phone.records(of: Business.self).isEmpty)
            #expect(try await phone.conflicts().isEmpty)
        }
    }

    @Test func aReferenceToWhatIsDeletedReadsAsNull() async throws {
        try await Shop.with { shop in
            let phone = try shop.store("phone")
            let bakery = Shop.business("Bakery")
            let monday = EasitOpen200.DaySchedule(
                weekday: 2, openTime: 480, closeTime: 1080, isClosed: false, business: bakery.id)
            try await phone.write { transaction in
                try transaction.insert(bakery)
                try transaction.insert(monday)
            }
            try await phone.syncOnce()
            try await phone.write { try $0.delete(bakery) }
            #expect(try await phone.records(of: EasitOpen200.DaySchedule.self).map(\.business) == [nil])
            try await phone.syncOnce()
            // Deleted with its business.
            #expect(try await phone.records(of: EasitOpen200.DaySchedule.self).isEmpty)
        }
    }

    @Test func observersSeeEachChange() async throws {
        try await Shop.with { shop in
            let (phone, tablet) = (try shop.store("phone"), try shop.store("tablet"))
            var seen = phone.observe(Business.self).makeAsyncIterator()
            #expect(try await seen.next()?.count == 0)
            try await phone.write { try $0.insert(Shop.business("Bakery")) }
            #expect(try await seen.next()?.map(\.name) == ["Bakery"])
            try await tablet.write { try $0.insert(Shop.business("Café")) }
            try await tablet.syncOnce()
            try await phone.syncOnce()
            while let records = try await seen.next(), records.count < 2 {}
            #expect(try await phone.records(of: Business.self).count == 2)
        }
    }

    @Test(.timeLimit(.minutes(2))) func runningStoresNoticeEachOther() async throws {
        try await Shop.with { shop in
            let (phone, tablet) = (try shop.store("phone"), try shop.store("tablet"))
            try await shop.server.service.keepingEvents {
                let running = [Task { await phone.run() }, Task { await tablet.run() }]
                defer { for task in running { task.cancel() } }
                for number in 0..<3 {
                    let (writer, reader) = number.isMultiple(of: 2) ? (phone, tablet) : (tablet, phone)
                    let record = Shop.business("Shop \(number)")
                    try await writer.write { try $0.insert(record) }
                    for try await found in reader.observe(Business.self, id: record.recordID) {
                        if found != nil { break }
                    }
                }
            }
        }
    }

    @Test func aTokenThatIsRefusedIsAskedForAgainAndThenTheUserIs() async throws {
        try await Shop.with { shop in
            let store = try shop.store("phone", token: "nonsense")
            let stopped = await #expect(throws: SyncStopped.self) { try await store.syncOnce() }
            #expect(stopped?.attention == .signIn)
            #expect(await store.status == .needsAttention(.signIn))
            struct Renewing: SyncCredentials {
                let good: String
                func token(replacing refused: String?) -> String? { refused == nil ? "nonsense" : good }
            }
            let other = try SyncStore(
                at: shop.file("tablet"), schema: try EasitOpen200.schema(), endpoint: shop.endpoint,
                credentials: Renewing(good: shop.server.token))
            #expect(try await other.syncOnce().isComplete)
        }
    }
}
