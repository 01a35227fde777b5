import WireFormats

/// The versions of a small app; the other plans are careless edits of it.
enum NotesPlan: SchemaMigrationPlan {
    static let app = "notes"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V3.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V3.self) { Distinct("Note.title", from: "Note.subtitle") }
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Note") {
                Attribute("text", .string)
                Attribute("price", .double.optional)
                Attribute("at", .date, default: .creation)
                Attribute("subtitle", .string, default: "")
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Note") {
                Removed("subtitle")
                Attribute("title", .string, default: "")
            }
        }
    }

    /// A plan in which 3.0.0 got an attribute after it was shipped.
    enum Edited: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas: [any VersionedSchema.Type] = [V1.self, EditedV3.self]
        static let stages: [MigrationStage] = [
            .custom(fromVersion: V1.self, toVersion: EditedV3.self) { Distinct("Note.title", from: "Note.subtitle") }
        ]

        enum EditedV3: VersionedSchema {
            static let versionIdentifier = Schema.Version(3, 0, 0)
            static let models = Models {
                Inherits(V3.self)
                Model("Note") { Attribute("color", .string, default: "blue") }
            }
        }
    }

    /// A plan that later declares `title` as a new name of `subtitle`: the fingerprint is the same, the records are
    /// not.
    enum Rejoined: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas: [any VersionedSchema.Type] = [V1.self, RejoinedV3.self]
        static let stages: [MigrationStage] = [.lightweight(fromVersion: V1.self, toVersion: RejoinedV3.self)]

        enum RejoinedV3: VersionedSchema {
            static let versionIdentifier = Schema.Version(3, 0, 0)
            static let models = Models {
                Inherits(V1.self)
                Model("Note") { Attribute("title", .string, default: "", originalName: "subtitle") }
            }
        }
    }

    /// A plan without the old version.
    enum Shortened: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas: [any VersionedSchema.Type] = [V3.self]
        static let stages: [MigrationStage] = []
    }

    /// A plan whose new version has a number between two published ones.
    enum Inserted: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
        static let stages: [MigrationStage] = [
            .lightweight(fromVersion: V1.self, toVersion: V2.self),
            .custom(fromVersion: V2.self, toVersion: V3.self) { Distinct("Note.title", from: "Note.subtitle") },
        ]

        enum V2: VersionedSchema {
            static let versionIdentifier = Schema.Version(2, 0, 0)
            static let models = Models { Inherits(V1.self) }
        }
    }

    /// A correct plan: the new version comes last.
    enum Extended: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas: [any VersionedSchema.Type] = [V1.self, V3.self, V4.self]
        static let stages: [MigrationStage] =
            NotesPlan.stages + [.lightweight(fromVersion: V3.self, toVersion: V4.self)]

        enum V4: VersionedSchema {
            static let versionIdentifier = Schema.Version(4, 0, 0)
            static let models = Models {
                Inherits(V3.self)
                Model("Note") { Attribute("color", .string, default: "blue") }
            }
        }
    }

    /// The shape that was shipped as 3.0.0 for a day.
    enum FirstCut: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V3.self)
            Model("Note") { Attribute("mood", .string.optional) }
        }
    }

    /// The same shape, declared differently.
    enum OtherCut: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V3.self)
            Model("Note") { Attribute("mood", .int.optional) }
        }
    }

    enum TwoShapes: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas = NotesPlan.schemas
        static let stages = NotesPlan.stages
        static let historicalVariants = [HistoricalVariant(FirstCut.self, of: V3.self, addedWith: V3.self)]
    }

    enum OtherShape: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas = NotesPlan.schemas
        static let stages = NotesPlan.stages
        static let historicalVariants = [HistoricalVariant(OtherCut.self, of: V3.self, addedWith: V3.self)]
    }

    enum TwoShapesExtended: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas = Extended.schemas
        static let stages = Extended.stages
        static let historicalVariants = TwoShapes.historicalVariants
    }

    /// A plan in which the variant belongs to the next version.
    enum Moved: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas = Extended.schemas
        static let stages = Extended.stages
        static let historicalVariants = [HistoricalVariant(FirstCut.self, of: V3.self, addedWith: Extended.V4.self)]
    }

    /// A plan whose new version has a conversion that claims to be lossless and loses the sign.
    enum Unlawful: SchemaMigrationPlan {
        static let app = NotesPlan.app
        static let schemas = NotesPlan.schemas + [V4.self]
        static let stages: [MigrationStage] =
            NotesPlan.stages + [
                .custom(fromVersion: V3.self, toVersion: V4.self) { Convert("Note.price", using: Unsigned()) }
            ]

        enum V4: VersionedSchema {
            static let versionIdentifier = Schema.Version(4, 0, 0)
            static let models = Models {
                Inherits(V3.self)
                Model("Note") { Attribute("price", .int.optional) }
            }
        }

        struct Unsigned: Conversion {
            func up(_ older: Double?) -> Int? { older.map { abs($0) < 1e15 ? Int(abs($0)) : 0 } }
            func down(_ newer: Int?) -> Double? { newer.map { Double($0) } }
            let fidelity = Fidelity.exact
            let examples: [Double?] = [-1]
        }
    }
}
