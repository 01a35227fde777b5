import Foundation
import SwiftData

enum SchemaV2: VersionedSchema {
    static let versionIdentifier: Schema.Version = .init(1, 1, 0)
    static var models: [any PersistentModel.Type] { [Item.self, Shelf.self, Recipe.self] }
}

extension SchemaV2 {
    @Model
    final class Item {
        @Attribute(.unique) var id: UUID
        @Attribute(originalName: "name") var title: String
        var amount: Double = 0
        var price: Decimal = Decimal(string: "1.50")!
        var bought = Date.now
        var kind: Kind = Kind.other
        var labels: [String] = []
        var shelf: Shelf?
        var isOpen: Bool { amount > 0 }
        @Transient var isSelected = false

        init(title: String) {
            id = UUID()
            self.title = title
        }

        enum Kind: String, Codable {
            case fresh
            case frozen = "deep-frozen"
            case dry
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

    @Model
    final class Recipe {
        var id = UUID()
        var title = ""
        var steps: [Step] = []
        var source: URL?
        var picture: Photo?
        var servings: Int = Limits.usual

        init() {}

        struct Step: Codable {
            var text: String
        }
    }

    enum Limits {
        static let usual = 4
    }
}
