import WireFormats

/// `ConversionsPlan` with historical variants: one of each version, two of the middle version.
enum VariantsPlan: SchemaMigrationPlan {
    static let app = "variants"
    static let schemas = ConversionsPlan.schemas
    static let stages = ConversionsPlan.stages
    static let historicalVariants = [
        HistoricalVariant(Richer.self, of: ConversionsPlan.V2.self, addedWith: ConversionsPlan.V2.self),
        HistoricalVariant(Converted.self, of: ConversionsPlan.V2.self, addedWith: ConversionsPlan.V3.self) {
            Convert("Item.amount", using: DoubleDecimal())
            Convert("Item.score", to: "count2", using: Halved())
            Convert("Item.name", to: "firstWord", "otherWords", using: FullName())
            Substitute("Item.bystander", .attribute("unit"))
        },
        HistoricalVariant(Oldest.self, of: ConversionsPlan.V1.self, addedWith: ConversionsPlan.V3.self) {
            Convert("Item.text", to: "value", using: NumberText())
            Substitute("Item.price", 2.5)
        },
        HistoricalVariant(Poorer.self, of: ConversionsPlan.V3.self, addedWith: ConversionsPlan.V3.self),
    ]

    /// A variant that renames and loosens parts of the version, and adds an attribute and an entity.
    enum Richer: VersionedSchema {
        static let versionIdentifier = ConversionsPlan.V2.versionIdentifier
        static let models = Models {
            Inherits(ConversionsPlan.V2.self)
            Model("Thing", originalName: "Item") {
                Attribute("cost", .decimal, default: "9.99", originalName: "price")
                Attribute("number", .double.optional)
                Attribute("stage", .string)
                Attribute("comment", .string, default: "none")
                Removed("extra")
            }
            Model("Sticker") {
                Identity()
                Attribute("picture", .data)
                Relationship("thing", toOne: "Thing")
            }
        }
    }

    /// A variant with further conversions on top of those between the versions.
    enum Converted: VersionedSchema {
        static let versionIdentifier = ConversionsPlan.V2.versionIdentifier
        static let models = Models {
            Inherits(ConversionsPlan.V2.self)
            Model("Item") {
                Attribute("amount", .decimal)
                Attribute("count2", .int.optional, originalName: "score")
                Removed("bystander", "count", "name")
                Attribute("firstWord", .string)
                Attribute("otherWords", .string.optional)
            }
        }
    }

    enum Oldest: VersionedSchema {
        static let versionIdentifier = ConversionsPlan.V1.versionIdentifier
        static let models = Models {
            Inherits(ConversionsPlan.V1.self)
            Model("Item") {
                Attribute("value", .double, originalName: "text")
                Removed("price")
            }
        }
    }

    /// A variant with fewer cases, which requires attributes that are optional in the version.
    enum Poorer: VersionedSchema {
        static let versionIdentifier = ConversionsPlan.V3.versionIdentifier
        static let models = Models {
            Inherits(ConversionsPlan.V3.self)
            Model("Item") {
                Attribute("stage", .enumeration("Stage", ["up", "core"]))
                Attribute("count", .decimal, default: "0")
            }
        }
    }

    /// A conversion that loses the lowest bit.
    struct Halved: Conversion {
        func up(_ older: Int?) -> Int? { older.map { $0 / 2 } }
        func down(_ newer: Int?) -> Int? { newer.map { $0 > .max / 2 ? .max : $0 < .min / 2 ? .min : $0 * 2 } }
        var fidelity: Fidelity { .lossy }
        var examples: [Int?] { [3, 2, nil, .max] }
    }
}
