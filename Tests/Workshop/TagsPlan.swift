import WireFormats

/// Ids that were UUIDs and became texts, one entity after the other, and one that was always a text. Tags take their
/// notes along.
///
/// For pairs and fleets of versions.
enum TagsPlan: SchemaMigrationPlan {
    static let app = "tags"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .lightweight(fromVersion: V1.self, toVersion: V2.self), .lightweight(fromVersion: V2.self, toVersion: V3.self),
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Tag") {
                Identity("id")
                Attribute("name", .string, default: "")
                Relationship("notes", toMany: "Note", deleteRule: .cascade, inverse: "tag")
            }
            Model("Note") {
                Identity("id")
                Attribute("text", .string, default: "")
                Relationship("tag", toOne: "Tag", inverse: "notes")
                Relationship("reply", toOne: "Note")
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Tag") {
                Identity("id", .string)
                Attribute("color", .string.optional)
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V2.self)
            Model("Note") { Identity("id", .string) }
            Model("Mark") {
                Identity("id", .string)
                Attribute("count", .int, default: 0)
                Relationship("note", toOne: "Note")
                Relationship("tag", toOne: "Tag")
            }
        }
    }
}
