import PGMigrations
import SyncEngine
import SyncServer
import SyncTestSupport
import WireFormats

/// A mark in three versions, of which each sees something that another does not: 2.0.0 reads colors that it does not
/// know as green, and 1.0.0 rounds what 2.0.0 keeps exactly.
enum TiesPlan: SchemaMigrationPlan {
    static let app = "ties"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) {
            Convert("Mark.length", using: .doubleToDecimal)
            Convert("Mark.best", using: .doubleToDecimal)
            Convert("Mark.least", using: .doubleToDecimal)
        },
        .lightweight(fromVersion: V2.self, toVersion: V3.self),
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Mark") {
                Attribute("color", .string, default: "gray")
                Attribute("length", .double, default: 0)
                Attribute("best", .double, default: 0)
                Attribute("least", .double, default: 0)
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Model("Mark") {
                Attribute("color", .enumeration("Color", ["gray", "green"]), default: "green")
                Attribute("length", .decimal, default: 0)
                Attribute("best", .decimal, default: 0, merge: .max)
                Attribute("least", .decimal, default: 0, merge: .min)
            }
        }
    }

    /// Does not know what a mark's length is, and that it may be without a color.
    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static let models = Models {
            Inherits(V2.self)
            Model("Mark") {
                Attribute("length", .decimal.optional, default: nil)
            }
        }
    }

    static func withServer(_ body: (TestServer) async throws -> Void) async throws {
        try await withTestServer(TiesPlan.self, migrations: migrations()) { try await body($0) }
    }

    private static func migrations() throws -> MigrationLine {
        let sql = """
            CREATE SCHEMA ties;
            GRANT USAGE ON SCHEMA ties TO syncserver_serving;
            CREATE TABLE ties.mark (
                LIKE sync.record INCLUDING ALL, color text NOT NULL, length numeric, best numeric NOT NULL,
                least numeric NOT NULL
            );
            SELECT sync.enroll('ties.mark');
            """
        let file = try MigrationFile(line: "ties", fileName: "0001-create-marks.sql", bytes: Array(sql.utf8))
        return try MigrationLine(name: "ties", files: [file])
    }
}
