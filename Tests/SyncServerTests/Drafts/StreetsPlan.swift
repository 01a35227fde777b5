import WireFormats

/// Conversions that keep their column: of one type in another form, and of a text that becomes a list.
enum StreetsPlan: SchemaMigrationPlan {
    static let app = "streets"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Street.name", to: "label", using: Shouted())
            Convert("Street.tag", to: "tags", using: OneTag())
        }
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Street") {
                Attribute("name", .string)
                Attribute("tag", .string)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Street") {
                Removed("name", "tag")
                Attribute("label", .string)
                Attribute("tags", .array(of: .string))
            }
        }
    }

    struct Shouted: Conversion {
        func up(_ name: String) -> String { name + "!" }
        func down(_ label: String) -> String { label.hasSuffix("!") ? String(label.dropLast()) : label }
        let fidelity = Fidelity.projecting
        let examples = ["Lisboa"]
    }

    struct OneTag: Conversion {
        func up(_ tag: String) -> [String] { [tag] }
        func down(_ tags: [String]) -> String { tags.first ?? "" }
        let fidelity = Fidelity.projecting
        let examples = ["old"]
    }
}
