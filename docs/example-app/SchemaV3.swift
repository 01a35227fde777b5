import Foundation
import SwiftData

enum SchemaV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self, Recipe.self] }

    @Model
    final class Item {
        @Attribute(.unique) var id: UUID
        var title: String
        var amount: Int = 1
        var kind: Kind = Kind.other
        var bestBefore: Date?
        var labels: [String] = []
        var shelf: Shelf?
        var recipes: [Recipe] = []

        enum Kind: String, Codable {
            case fresh, frozen, dry, other
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

    @Model
    final class Recipe {
        @Attribute(.unique) var id: UUID
        var title: String
        var steps: [Step] = []
        var source: URL?
        var item: Item?

        struct Step: Codable {
            var text: String
            var minutes: Int
        }

        init(title: String) {
            id = UUID()
            self.title = title
        }
    }
}
