import WireFormats

/// A plan with every change of type that needs no stage: optional ↔ required, enumeration ↔ string, more and fewer
/// cases, and several of them on one attribute in a row.
enum TypesPlan: SchemaMigrationPlan {
    static let app = "types"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self, V4.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            UnknownCase("Entry.kind", reads: "other")
            UnknownCase("Entry.size", reads: "large")
        },
        .lightweight(fromVersion: V2.self, toVersion: V3.self),
        .lightweight(fromVersion: V3.self, toVersion: V4.self),
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Entry") {
                Attribute("valley", .string.optional)
                Attribute("hill", .string, default: "low")
                Attribute("count", .int)
                Attribute("day", .date.optional)
                Attribute("kind", .enumeration("Kind", ["meal", "other"]))
                Attribute("size", .enumeration("Size", ["small", "large"]))
                Attribute("word", .string)
                Attribute("mood", .string.optional)
                Attribute("level", .enumeration("Level", ["one", "two", "three"]).optional)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Entry") {
                Attribute("valley", .string, default: "middle")
                Attribute("hill", .string.optional)
                Attribute("count", .int.optional)
                Attribute("day", .date, default: .creation)
                Attribute("kind", .enumeration("Kind", ["meal", "drink", "other", "café"]))
                Attribute("size", .string.optional)
                Attribute("word", .enumeration("Word", ["a", "café", "soup"]))
                Attribute("mood", .enumeration("Mood", ["a", "b"]).optional)
                Attribute("level", .enumeration("Level", ["one", "two"]), default: "two")
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V2.self)
            Model("Entry") {
                Attribute("valley", .string.optional)
                Attribute("hill", .string, default: "high")
                Attribute("count", .int, default: 42)
                Attribute("day", .date.optional)
                Attribute("kind", .string)
                Attribute("size", .enumeration("Size", ["small", "huge"]), default: "huge")
                Attribute("word", .string)
                Attribute("mood", .enumeration("Mood", ["a", "b", "c"]))
                Attribute("level", .enumeration("Level", ["one", "two", "three", "four"]).optional)
            }
        }
    }

    enum V4: VersionedSchema {
        static let versionIdentifier = Schema.Version(4, 0, 0)
        static let models = Models {
            Inherits(V3.self)
            Model("Entry") {
                Attribute("valley", .string)
                Attribute("hill", .string.optional)
                Attribute("count", .int.optional)
                Attribute("kind", .enumeration("Kind", ["drink", "snack"]).optional)
                Attribute("size", .string)
                Attribute("word", .enumeration("Word", ["b", "soup"]).optional)
                Attribute("feeling", .string.optional, originalName: "mood")
            }
        }
    }
}
