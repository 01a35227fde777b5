import WireFormats

/// Everything that a plan can have and the demo apps have not: all policies, parts, a unique attribute, deletions that
/// are denied, cascade towards targets and in rings, a singleton, names exchanged, cases mapped.
///
/// For the simulator. The first version knows none of the rules that the others have.
enum WorkshopPlan: SchemaMigrationPlan {
    static let app = "workshop"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Tool.length", to: "size", "unit", using: SizeAndUnit())
            MapCases(
                "Tool.state", [("fine", "sharp"), ("blunt", "blunt"), ("rusty", "blunt")],
                unknown: (older: "rusty", newer: "sharp"))
            Convert("Bench.street", "number", to: "place", using: StreetAndNumber())
        },
        .custom(fromVersion: V2.self, toVersion: V3.self) {
            Convert("Tool.size", using: .doubleToDecimal)
            Convert("Tool.longest", using: .doubleToDecimal)
        },
    ]
    static let historicalVariants = [HistoricalVariant(V2FirstCut.self, of: V2.self, addedWith: V2.self)]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Sign", .singleton) {
                Attribute("text", .string, default: "open")
                Attribute("visits", .int, default: 0)
            }
            Model("Bench") {
                Attribute("street", .string, default: "here")
                Attribute("number", .string.optional)
                Attribute("color", .string, default: "gray")
                Relationship("tools", toMany: "Tool", inverse: "bench")
                Relationship("below", toOne: "Bench", deleteRule: .cascade)
            }
            Model("Tool") {
                Attribute("serial", .string.optional)
                Attribute("length", .string, default: "")
                Attribute("state", .enumeration("State", ["fine", "blunt", "rusty"]), default: "fine")
                Attribute("longest", .double, default: 9)
                Attribute("cheapest", .date.optional)
                Attribute("tags", .array(of: .string), default: .json("[]"))
                Attribute("uses", .int, default: 0)
                Attribute("left", .string, default: "l")
                Attribute("right", .string, default: "r")
                Relationship("bench", toOne: "Bench")
                Relationship("spare", toOne: "Tool", deleteRule: .cascade)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Sign", .singleton) {
                Attribute("visits", .int, default: 0, merge: .counter)
            }
            Model("Bench") {
                Removed("street", "number")
                Attribute("place", .string)
                Relationship("tools", toMany: "Tool", deleteRule: .deny, inverse: "bench")
            }
            Model("Tool") {
                Removed("length")
                Attribute("serial", .string.optional, .unique)
                Attribute("size", .double, default: 0)
                Attribute("unit", .string, default: "")
                Attribute("state", .enumeration("State", ["sharp", "blunt"]), default: "blunt")
                Attribute("longest", .double, default: 9, merge: .max)
                Attribute("cheapest", .date.optional, merge: .min)
                Attribute("tags", .array(of: .string), default: .json("[]"), merge: .union)
                Attribute("uses", .int, default: 0, merge: .counter)
                Attribute("right", .string, default: "r2", originalName: "left")
                Attribute("left", .string, default: "l2", originalName: "right")
                Relationship("labels", toMany: "Label", deleteRule: .cascade, inverse: "tool")
            }
            Model("Label") {
                Attribute("text", .string)
                Attribute("printed", .int, default: 0, merge: .counter)
                Relationship("tool", toOne: "Tool", inverse: "labels")
            }
        }
    }

    /// Does not write how many labels it has printed.
    enum V2FirstCut: VersionedSchema {
        static let versionIdentifier = V2.versionIdentifier
        static let models = Models {
            Inherits(V2.self)
            Model("Label") {
                Removed("printed")
                Attribute("text", .string.optional)
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V2.self)
            Model("Bench") {
                Attribute("color", .enumeration("Color", ["gray", "green"]), default: "green")
            }
            Model("Tool") {
                Attribute("size", .decimal, default: 0)
                Attribute("longest", .decimal, default: 9, merge: .max)
            }
        }
    }
}

/// "02.5 cm" and 2.5, "cm": what has no number in front has 0, and is all unit. The migration says it in SQL.
private struct SizeAndUnit: Conversion {
    func up(_ text: String) -> (Double, String) {
        guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")), text.utf8.first != UInt8(ascii: "+"),
            let number = DecimalText(String(text[..<space])), let size = Double(number.text), size.isFinite
        else { return (0, text) }
        return (size, String(text[text.utf8.index(after: space)...]))
    }

    func down(_ length: (Double, String)) -> String { "\(DecimalText("\(length.0)")?.text ?? "0") \(length.1)" }

    let examples = ["2 cm", "02 cm", "cm", "1.5 mm", "-0.01 "]
}

/// "Rua 5" and "Rua", "5".
private struct StreetAndNumber: Conversion {
    func up(_ older: (String, String?)) -> String { older.1.map { "\(older.0) \($0)" } ?? older.0 }

    func down(_ whole: String) -> (String, String?) {
        guard let space = whole.firstIndex(of: " ") else { return (whole, nil) }
        return (String(whole[..<space]), String(whole[whole.index(after: space)...]))
    }

    let examples: [(String, String?)] = [("Rua", "5"), ("Rua", nil), ("", ""), ("Rua", "5 b")]
}
