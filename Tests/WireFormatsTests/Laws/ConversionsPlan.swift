import WireFormats

/// A plan with every custom operation, and with several conversions of one attribute in a row.
enum ConversionsPlan: SchemaMigrationPlan {
    static let app = "conversions"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Item.price", using: DoubleDecimal())
            Convert("Item.text", to: "number", using: NumberText())
            Convert("Item.amount", using: NumberText())
            Convert("Item.mood", to: "score", using: MoodScore())
            Convert("Item.quantity", to: "quantity", "unit", using: QuantityText())
            Convert("Item.firstName", "lastName", to: "name", using: FullName().reversed)
            MapCases(
                "Item.stage", [("light", "core"), ("core", "core"), ("deep", "deep")],
                unknown: (older: "light", newer: "awake"))
            Convert("Item.count", using: IntDecimal())
        },
        .custom(fromVersion: V2.self, toVersion: V3.self) {
            Convert("Item.price", to: "cost", using: DecimalText2())
            Convert("Item.number", using: DoubleDecimal())
            Convert("Item.unit", using: NumberText())
            Convert("Item.name", to: "weight", "label", using: QuantityText())
            MapCases("Item.stage", [("awake", "up")], unknown: (older: "awake", newer: "up"))
        },
    ]

    /// Decimal → String, on top of Double → Decimal.
    struct DecimalText2: Conversion {
        func up(_ older: DecimalText) -> String { "€\(older)" }
        func down(_ newer: String) -> DecimalText { DecimalText(newer.drop { $0 == "€" }) ?? .zero }
        var fidelity: Fidelity { .lossy }
        var examples: [DecimalText] { [.zero] }
    }

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 1)
        static let models = Models {
            Model("Item") {
                Identity()
                Attribute("price", .double)
                Attribute("text", .string)
                Attribute("amount", .string, default: "1")
                Attribute("mood", .string.optional)
                Attribute("quantity", .string)
                Attribute("firstName", .string)
                Attribute("lastName", .string.optional)
                Attribute("stage", .enumeration("Stage", ["light", "core", "deep"]))
                Attribute("count", .int)
                Attribute("bystander", .string)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 2)
        static let models = Models {
            Inherits(V1.self)
            Model("Item") {
                Attribute("price", .decimal, default: "9.99")
                Attribute("number", .double, originalName: "text")
                Attribute("amount", .double)
                Removed("mood", "firstName", "lastName")
                Attribute("score", .int.optional)
                Attribute("quantity", .double)
                Attribute("unit", .string)
                Attribute("name", .string)
                Attribute("stage", .enumeration("Stage", ["awake", "core", "deep"]))
                Attribute("count", .decimal)
                Attribute("extra", .double, default: 0.07)
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 3)
        static let models = Models {
            Inherits(V2.self)
            Model("Item") {
                Attribute("cost", .string, originalName: "price")
                Attribute("number", .decimal)
                Attribute("unit", .double)
                Attribute("weight", .double, originalName: "name")
                Attribute("label", .string)
                Attribute("stage", .enumeration("Stage", ["up", "core", "deep", "rem"]))
                Attribute("count", .decimal.optional)
                Removed("bystander", "amount")
            }
        }
    }
}
