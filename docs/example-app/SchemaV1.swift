import Foundation
import SwiftData

enum SchemaV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self] }

    @Model
    final class Item {
        @Attribute(.unique) var id: UUID
        var name: String
        var amount: Int = 1
        var note: String?
        var shelf: Shelf?

        init(name: String) {
            id = UUID()
            self.name = name
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
