import WireFormats

/// A plan with every operation that concerns whole attributes and entities: added, removed, renamed, related, local.
enum KitchenPlan: SchemaMigrationPlan {
    static let app = "kitchen"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self, V4.self]
    static let stages: [MigrationStage] = [
        .lightweight(fromVersion: V1.self, toVersion: V2.self),
        .custom(fromVersion: V2.self, toVersion: V3.self) {
            Substitute("Meal.label", .attribute("title"))
            Substitute("Meal.rating", 3)
        },
        .lightweight(fromVersion: V3.self, toVersion: V4.self),
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 1)
        static let models = Models {
            Model("Food") {
                Identity()
                Attribute("name", .string)
                Attribute("label", .string)
                Attribute("rating", .int.optional)
                Attribute("kcal", .double)
                Attribute("eatenAt", .date, default: .creation)
                Attribute("token", .uuid, default: .newID)
                Attribute("tags", .array(of: .string), default: [])
                Attribute("photo", .data.optional)
                Attribute("draft", .string, default: "", scope: .local)
                Relationship("person", toOne: "Person")
            }
            Model("Person") {
                Identity()
                Attribute("name", .string)
                Relationship("foods", toMany: "Food", deleteRule: .cascade, inverse: "person")
            }
            Model("Outbox", scope: .local) { Attribute("payload", .data) }
        }
    }

    /// Renames an entity and an attribute, adds attributes with every kind of default.
    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 2)
        static let models = Models {
            Inherits(V1.self)
            Model("Meal", originalName: "Food") {
                Attribute("title", .string, originalName: "name")
                Attribute("isFavorite", .bool, default: false)
                Attribute("price", .decimal, default: "1.10")
                Attribute("loggedAt", .date, default: .creation)
                Attribute("share", .uuid, default: .newID)
                Attribute("details", .codable("Details"), default: .json("{}"))
                Attribute("note", .string.optional)
            }
            Model("Drink") {
                Identity()
                Attribute("volume", .double)
                Relationship("meal", toOne: "Meal", deleteRule: .nullify)
            }
        }
    }

    /// Removes attributes that older versions keep, a relationship and an entity.
    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 0, 3)
        static let models = Models {
            Inherits(V2.self)
            Model("Meal") { Removed("label", "rating", "token", "person") }
            Model("Person") { Removed("foods") }
            RemovedModel("Drink")
        }
    }

    /// Renames again what is left, over the retained columns.
    enum V4: VersionedSchema {
        static let versionIdentifier = Schema.Version(0, 1, 0)
        static let models = Models {
            Inherits(V3.self)
            Model("LoggedMeal", originalName: "Meal") {
                Attribute("label", .string, originalName: "title")
                Attribute("energy", .double, originalName: "kcal")
            }
            Model("Guest") { Attribute("nick", .string) }
        }
    }
}
