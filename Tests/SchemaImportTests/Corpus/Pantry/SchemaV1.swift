import Foundation
import SwiftData

enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self] }

    @Model
    final class Item {
        @Attribute(.unique) var id: UUID
        var name: String
        var amount: Int = 0
        var price: Decimal = Decimal(string: "1.50")!
        var bought = Date.now
        var kind: Kind = Kind.other
        var shelf: Shelf?

        init(name: String) {
            id = UUID()
            self.name = name
        }

        enum Kind: String, Codable {
            case fresh
            case frozen = "deep-frozen"
            case other
        }
    }

    @Model
    final class Shelf {
        var id = UUID()
        @Attribute(.unique) var code: String
        @Relationship(deleteRule: .cascade, inverse: \Item.shelf) var items: [Item]

        init(code: String) {
            self.code = code
            items = []
        }
    }
}
