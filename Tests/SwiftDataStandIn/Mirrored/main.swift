import Foundation
import SwiftData
import SyncClient
import WireFormats

// The example of docs/client.md, as far as Linux has it: `@Model` writes what PersistentModel asks for.

final class ShopModel {
    var id: UUID
    var name: String
    var bakery: Bakery?
    let persistentModelID: PersistentIdentifier

    init(id: UUID, name: String) {
        fatalError("Nothing here does anything.")
    }
}

final class Bakery {
    var id: UUID
    let persistentModelID: PersistentIdentifier

    init(id: UUID) {
        fatalError("Nothing here does anything.")
    }
}

/// As `syncserver schema swift` writes it.
struct Shop: SyncRecord {
    static let entity = "Shop"
    let id: UUID
    var name: String
    var bakery: UUID?

    var recordID: RecordID { RecordID(id) }

    init(id: UUID, name: String, bakery: UUID?) { (self.id, self.name, self.bakery) = (id, name, bakery) }

    init(_ fields: RecordFields) throws {
        id = fields.uuid
        name = try fields.value("name")
        bakery = try fields.value("bakery")
    }

    var fields: [String: Value] {
        get throws { ["name": try RecordFields.value(of: name), "bakery": try RecordFields.value(of: bakery)] }
    }
}

extension ShopModel: MirroredModel {
    convenience init(_ record: Shop) { self.init(id: record.id, name: record.name) }

    var record: Shop { Shop(id: id, name: name, bakery: bakery?.id) }

    func take(_ record: Shop, in context: ModelContext) throws {
        name = record.name
        let bakeryID = record.bakery
        bakery = try bakeryID.flatMap { id in
            try context.fetch(FetchDescriptor<Bakery>(predicate: #Predicate { $0.id == id })).first
        }
    }

    static func descriptor(of id: RecordID) -> FetchDescriptor<ShopModel> {
        let uuid = id.uuid ?? UUID()
        return FetchDescriptor(predicate: #Predicate { $0.id == uuid })
    }

    static func id(in tombstone: HistoryTombstone<ShopModel>) -> RecordID? {
        (tombstone[\.id] as? UUID).map { RecordID($0) }
    }
}

extension Bakery: PersistentModel {}

let container = ModelContainer()
let app = SwiftDataStore(container, models: [ShopModel.self])
print(SyncMirror.self, type(of: app))
