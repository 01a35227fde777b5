import Foundation
import SwiftData

enum SchemaV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self] }

    @Model
    final class Item {
        @Attribute(.unique) var id: UUID
        @Attribute(originalName: "name") var title: String
        var amount: Int = 1
        var note: String?
        var kind: Kind = Kind.other
        var bestBefore: Date?
        var shelf: Shelf?

        enum Kind: String, Codable {
            case fresh, frozen, other
        }

        init(title: String) {
            id = UUID()
            self.title = title
        }
    }

    @Model
    final class Shelf {
        @Attribute(.unique) var id: UUID
        var title: String
        @Relationship(deleteRule: .cascade, inverse: \Item.shelf) var items: [Item] = []

        init(title: String) {
            id = UUID()
            self.title = title
        }
    }
}
