import Foundation
import SyncTestSupport
import Testing
import WireFormats

@testable import SyncClient

/// Stores on a failing disk.
@Suite struct DiskTests {
    private typealias Business = EasitOpen200.Business

    @Test func aFullDiskLeavesWhatWasThere() async throws {
        let folder = try TemporaryDirectory()
        let schema = try EasitOpen200.schema()
        let storage = try SQLiteStorage(path: folder.path + "/store.sqlite", schema: schema)
        var replica = Replica(opened: storage, schema: schema)
        try storage.database.execute("PRAGMA max_page_count = 40")
        var written: [String] = []
        let full = #expect(throws: SyncStoreError.self) {
            for number in 0..<10_000 {
                let shop = Shop.business("Shop \(number)")
                try storage.transaction { try replica.edit(.create(shop.key, try shop.fields), here: 1) }
                written.append(shop.name)
            }
        }
        #expect(full?.reason == .diskFull && written.count > 10)
        #expect(try Set(replica.records(of: Business.self).map(\.name)) == Set(written))
        try storage.database.execute("PRAGMA max_page_count = 4000")
        let last = Shop.business("last")
        try storage.transaction { try replica.edit(.create(last.key, try last.fields), here: 1) }
        #expect(try replica.records(of: Business.self).count == written.count + 1)
    }

    @Test func aFileThatCannotBeWrittenIsSaidToBeSo() throws {
        let folder = try TemporaryDirectory()
        let error = #expect(throws: SyncStoreError.self) {
            try SQLiteStorage(path: folder.path + "/none/store.sqlite", schema: EasitOpen200.schema())
        }
        #expect(error?.reason == .readOnly && error?.description.contains("may be written") == true)
    }

    @Test func aDamagedFileIsPutAsideAndItsOutboxKept() async throws {
        try await Shop.with { shop in
            do {
                let store = try shop.store("phone")
                let shops = (0..<200).map { Shop.business("Shop \($0)") }
                try await store.write { transaction in for shop in shops { try transaction.insert(shop) } }
                try await store.syncOnce()
                try await store.write { try $0.insert(Shop.business("unsent")) }
            }
            let file = shop.file("phone")
            try Self.damage(file)
            // The page determines when the damage is found: when the store is opened, or when it is read.
            let error = await #expect(throws: SyncStoreError.self) {
                _ = try await shop.store("phone").records(of: Business.self)
            }
            #expect(error?.reason == .damaged && error?.description.contains("salvage") == true)
            let damaged = try Data(contentsOf: file)
            let salvaged = try SyncStore.salvage(at: file, schema: EasitOpen200.schema())
            #expect(salvaged.changes == 1 && salvaged.isWhole)
            #expect(try Data(contentsOf: salvaged.damaged) == damaged)
            let new = try shop.store("phone")
            try await new.syncOnce()
            #expect(try await new.records(of: Business.self).count == 201)
        }
    }

    /// The user may want to show the file to somebody who can read more of it.
    @Test func theLogOfADamagedFileStaysBesideIt() async throws {
        try await Shop.with { shop in
            let store = try shop.store("phone")
            try await store.write { try $0.insert(Shop.business("unsent")) }
            // The files as a process leaves them that is killed.
            let folder = try TemporaryDirectory()
            let copy = URL(filePath: folder.path + "/store.sqlite")
            var before: [String: Data] = [:]
            for ending in ["", "-wal"] {
                before[ending] = try Data(contentsOf: URL(filePath: shop.file("phone").path + ending))
                try before[ending]?.write(to: URL(filePath: copy.path + ending))
            }
            let salvaged = try SyncStore.salvage(at: copy, schema: EasitOpen200.schema())
            #expect(salvaged.changes == 1 && salvaged.isWhole)
            for (ending, bytes) in before {
                let after = try Data(contentsOf: URL(filePath: salvaged.damaged.path + ending))
                #expect(after == bytes && !bytes.isEmpty, "store.sqlite\(ending)")
            }
            #expect(try await store.pendingCount == 1)
        }
    }

    /// Overwrites all pages with records, and keeps those of the outbox.
    private static func damage(_ file: URL) throws {
        // The log is written to the file first.
        try SQLiteDatabase(path: file.path).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        var bytes = [UInt8](try Data(contentsOf: file))
        let pageSize = 4096
        for start in stride(from: 0, to: bytes.count, by: pageSize) {
            let page = bytes[start..<min(start + pageSize, bytes.count)]
            let text = String(decoding: page, as: UTF8.self)
            if text.contains("\"name\":\"Shop ") && !text.contains("unsent") {
                for index in page.indices.dropFirst(8).prefix(1_000) { bytes[index] = 0xFF }
            }
        }
        try Data(bytes).write(to: file)
    }

    @Test func whatIsNoStoreIsNotOverwritten() throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/store.sqlite"
        let letter = Data(String(repeating: "Dear Sir or Madam, ", count: 100).utf8)
        try letter.write(to: URL(filePath: path))
        let error = #expect(throws: SyncStoreError.self) {
            try SQLiteStorage(path: path, schema: EasitOpen200.schema())
        }
        #expect(error?.reason == .damaged)
        #expect(try Data(contentsOf: URL(filePath: path)) == letter)
    }
}
