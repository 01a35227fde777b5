import PGMigrations
import SyncTestSupport
import WireFormats

@testable import SyncCommands

/// An entity with an attribute of every type that a plan can make, required and optional; the older version reads some
/// of them through lenses.
enum SpecimensPlan: SchemaMigrationPlan {
    static let app = "specimens"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Specimen.mass", using: .doubleToDecimal)
            Convert("Specimen.length", using: Millimetres())
        }
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Specimen") {
                Attribute("name", .string, default: "")
                Attribute("mass", .double, default: 0.5)
                Attribute("length", .int, default: 3)
                Attribute("grade", .enumeration("Grade", ["low", "mid"]), default: "mid")
                Attribute("ratio", .double, default: 1.5)
                Attribute("at", .date.optional)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let grade = AttributeType.enumeration("Grade", ["low", "mid", "high"])
        static let models = Models {
            Inherits(V1.self)
            Model("Box") { Attribute("name", .string, default: "") }
            Model("Specimen") {
                Attribute("mass", .decimal, default: 0.5)
                Attribute("length", .double, default: 3.0)
                Attribute("grade", grade, default: "mid")
                Attribute("flag", .bool, default: true)
                Attribute("count", .int, default: 4)
                Attribute("price", .decimal, default: 2)
                Attribute("token", .uuid.optional)
                Attribute("blob", .data.optional)
                Attribute("found", .date, default: .creation)
                Attribute("shape", .codable("Shape"), default: .json(#"{"sides":3}"#))
                Attribute("ratio2", .double.optional)
                Attribute("price2", .decimal.optional)
                Attribute("grade2", grade.optional)
                Attribute("shape2", .codable("Shape").optional)
                Attribute("text2", .string.optional)
                Attribute("flags", .array(of: .bool), default: [])
                Attribute("counts", .array(of: .int), default: [])
                Attribute("ratios", .array(of: .double), default: .json("[1.5]"))
                Attribute("texts", .array(of: .string), default: [])
                Attribute("prices", .array(of: .decimal), default: [])
                Attribute("dates", .array(of: .date), default: [])
                Attribute("tokens", .array(of: .uuid).optional)
                Attribute("blobs", .array(of: .data).optional)
                Attribute("grades", .array(of: grade), default: [])
                Relationship("box", toOne: "Box")
            }
        }
    }

    struct Millimetres: Conversion {
        let fidelity = Fidelity.lossy
        let examples = [3, 0, -1]

        func up(_ older: Int) -> Double { Double(older) }
        // As an author writes it who knows what is in the column: anything else than a number of it ends the process.
        func down(_ newer: Double) -> Int { Int(newer.rounded().remainder(dividingBy: 1e15)) }
    }

    /// The tables as they are drafted, and then without what keeps hostile values out of them: as tables are that were
    /// made before, or altered by hand.
    static func migrations() throws -> MigrationLine {
        let plan = try Plan(SpecimensPlan.self)
        let draft = MigrationDraft(plan, from: nil, to: plan.newest, number: 1)
        let text = SchemaCommand.text(draft, of: plan.schemas[plan.newest].version, file: nil, "A B --app X")
        let file = try MigrationFile(line: app, fileName: "0001-create-specimens.sql", bytes: Array(text.utf8))
        return try MigrationLine(name: app, files: [file])
    }

    /// Lets any number in.
    static let unguarding = loop(
        """
        SELECT format('ALTER TABLE specimens.specimen DROP CONSTRAINT %I', conname) AS command FROM pg_constraint
        WHERE conrelid = 'specimens.specimen'::regclass AND contype = 'c'
        """)

    /// Lets null in. No server of the plan starts there any more.
    static let emptying = loop(
        """
        SELECT format('ALTER TABLE specimens.specimen ALTER COLUMN %I DROP NOT NULL', attname) AS command
        FROM pg_attribute WHERE attrelid = 'specimens.specimen'::regclass AND attnum > 0 AND attnotnull
            AND NOT attisdropped AND attname NOT IN (
                SELECT attname FROM pg_attribute WHERE attrelid = 'sync.record'::regclass)
        """)

    private static func loop(_ query: String) -> String {
        """
        DO $$
        DECLARE one record;
        BEGIN
            FOR one IN \(query) LOOP
                EXECUTE one.command;
            END LOOP;
        END $$;
        """
    }
}
