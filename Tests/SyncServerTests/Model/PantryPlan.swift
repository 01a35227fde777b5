import PGMigrations
import Postgres
import SyncTestSupport
import WireFormats

/// A plan of what no app has yet: cases mapped, attributes merged, types that grow poorer and richer, names
/// exchanged, relationships that cascade towards their targets and in rings, a unique attribute, and variants that
/// convert.
enum PantryPlan: SchemaMigrationPlan {
    static let app = "pantry"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            MapCases(
                "Jar.state", [("sealed", "closed"), ("shut", "closed"), ("open", "open")],
                unknown: (older: "open", newer: "closed"))
            Convert("Jar.brand", "kind", to: "label", using: TwoWords().reversed)
            Convert("Jar.weight", using: .doubleToDecimal)
            UnknownCase("Jar.place", reads: "shelf")
            Substitute("Jar.bought", .attribute("filled"))
        },
        .custom(fromVersion: V2.self, toVersion: V3.self) {
            Convert("Vessel.weight", to: "grams", using: Rounded())
            Convert("Vessel.label", to: "first", "rest", using: TwoWords())
            Substitute("Vessel.rating", 3)
        },
    ]
    static let historicalVariants = [
        HistoricalVariant(V2FirstCut.self, of: V2.self, addedWith: V2.self) {
            Convert("Vessel.weight", using: Rounded())
        },
        HistoricalVariant(V3Pilot.self, of: V3.self, addedWith: V3.self),
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Shelf") {
                Attribute("name", .string)
                // A shelf's records go with it, and a shelf with the lamp that is fixed to it.
                Relationship("jars", toMany: "Jar", deleteRule: .cascade, inverse: "shelf")
                Relationship("lamp", toOne: "Lamp", inverse: "shelf")
                Relationship("above", toOne: "Shelf", deleteRule: .cascade)
            }
            Model("Lamp") {
                Attribute("watts", .int, default: 4)
                Relationship("shelf", toOne: "Shelf", deleteRule: .cascade, inverse: "lamp")
            }
            Model("Jar") {
                Identity()
                Attribute("code", .string.optional)
                Attribute("state", .enumeration("State", ["sealed", "shut", "open"]), default: "sealed")
                Attribute("brand", .string, default: "none")
                Attribute("kind", .string.optional)
                Attribute("weight", .double, default: 0.5)
                Attribute("place", .enumeration("Place", ["shelf", "fridge"]))
                Attribute("filled", .date, default: .creation)
                Attribute("bought", .date, default: .creation)
                Attribute("note", .string.optional)
                Attribute("rating", .int)
                Attribute("left", .string, default: "l")
                Attribute("right", .string, default: "r")
                Relationship("shelf", toOne: "Shelf")
                Relationship("lid", toOne: "Jar", deleteRule: .cascade)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Vessel", originalName: "Jar") {
                Attribute("code", .string.optional, .unique)
                Attribute("state", .enumeration("State", ["closed", "open", "empty"]), default: "empty")
                Removed("brand", "kind", "bought")
                Attribute("label", .string)
                Attribute("weight", .decimal)
                Attribute("place", .string.optional)
                Attribute("note", .string, default: "nothing")
                Attribute("token", .uuid, default: .newID)
                Attribute("right", .string, default: "r2", originalName: "left")
                Attribute("left", .string, default: "l2", originalName: "right")
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V2.self)
            Model("Vessel") {
                Removed("rating", "label", "weight", "lid")
                Attribute("first", .string)
                Attribute("rest", .string.optional)
                Attribute("grams", .int)
                Attribute("place", .enumeration("Place", ["fridge", "cellar"]), default: "cellar")
                Attribute("note", .string.optional)
                Attribute("counted", .bool, default: true)
            }
        }
    }

    /// Weighs in whole numbers, and leaves the rest as it is.
    enum V2FirstCut: VersionedSchema {
        static let versionIdentifier = V2.versionIdentifier
        static let models = Models {
            Inherits(V2.self)
            Model("Vessel") {
                Attribute("weight", .int)
                Attribute("place", .enumeration("Place", ["shelf", "attic"]).optional)
                Attribute("mark", .string, default: "pilot")
            }
        }
    }

    /// Lets more be missing.
    enum V3Pilot: VersionedSchema {
        static let versionIdentifier = V3.versionIdentifier
        static let models = Models {
            Inherits(V3.self)
            Model("Pot", originalName: "Vessel") {
                Attribute("first", .string.optional)
                Attribute("place", .string)
                Attribute("amount", .int.optional, originalName: "grams")
                Removed("counted")
            }
        }
    }
}

extension SchemaMigrationPlan {
    /// The tables of all versions, as the server would draft them.
    static func migrations() throws -> MigrationLine {
        let plan = try Plan(Self.self)
        let draft = MigrationDraft(plan, from: nil, to: plan.schemas.count - 1, number: 1)
        let text = draft.blocks.joined(separator: "\n\n") + "\n"
        let file = try MigrationFile(line: app, fileName: "0001-create-\(app).sql", bytes: Array(text.utf8))
        return try MigrationLine(name: app, files: [file])
    }
}

/// "Maria Silva" and "Maria", "Silva".
private struct TwoWords: Conversion {
    func up(_ whole: String) -> (String, String?) {
        guard let space = whole.firstIndex(of: " ") else { return (whole, nil) }
        return (String(whole[..<space]), String(whole[whole.index(after: space)...]))
    }

    func down(_ parts: (String, String?)) -> String { parts.1.map { "\(parts.0) \($0)" } ?? parts.0 }

    let examples = ["dark honey", "honey", " ", "very dark honey"]
}

/// Whole numbers of what may have a fraction or be very large.
private struct Rounded: Conversion {
    func up(_ exact: DecimalText) -> Int { Int(exact.text.prefix { $0 != "." }) ?? 0 }
    func down(_ whole: Int) -> DecimalText { DecimalText("\(whole)") ?? .zero }
    let fidelity = Fidelity.lossy
    let examples = ["0", "1.5", "-7.25", "1e30"].compactMap { DecimalText($0) }
}
