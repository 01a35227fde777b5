import WireFormats

/// A plan of everything that merging handles: an amount that becomes two parts, one of which grows richer, and every
/// policy, none of which the first version knows.
enum GroceryPlan: SchemaMigrationPlan {
    static let app = "grocery"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Item.amount", to: "number", "unit", using: NumberAndUnit())
        },
        .custom(fromVersion: V2.self, toVersion: V3.self) {
            Convert("Item.number", using: .doubleToDecimal)
        },
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Shelf") {
                Attribute("name", .string, default: "")
                Relationship("items", toMany: "Item", inverse: "shelf")
            }
            Model("Item") {
                Attribute("amount", .string, default: "")
                Attribute("best", .int, default: 9)
                Attribute("cheapest", .int.optional)
                Attribute("tags", .array(of: .string), default: .json("[]"))
                Attribute("opened", .int, default: 0)
                Relationship("shelf", toOne: "Shelf")
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Item") {
                Removed("amount")
                Attribute("number", .double, default: 0)
                Attribute("unit", .string, default: "")
                Attribute("best", .int, default: 9, merge: .max)
                Attribute("cheapest", .int.optional, merge: .min)
                Attribute("tags", .array(of: .string), default: .json("[]"), merge: .union)
                Attribute("opened", .int, default: 0, merge: .counter)
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V2.self)
            Model("Item") {
                Attribute("number", .decimal, default: 0)
            }
        }
    }
}

/// "02 cups" and 2, "cups": what has no number in front has 0.
private struct NumberAndUnit: Conversion {
    func up(_ text: String) -> (Double, String) {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        return (words.first.flatMap { Double($0) } ?? 0, words.count > 1 ? words[1] : "")
    }

    func down(_ amount: (Double, String)) -> String {
        "\(DecimalText("\(amount.0)")?.text ?? "0") \(amount.1)"
    }

    let examples = ["2 cups", "02 cups", "cups", "1.5 g"]
}
