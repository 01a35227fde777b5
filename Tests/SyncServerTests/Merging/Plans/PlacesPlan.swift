import PGMigrations
import SyncTestSupport
import WireFormats

/// Places that 2.0.0 calls unique by their provider's id, and by a number of their own. They go with their region.
enum PlacesPlan: SchemaMigrationPlan {
    static let app = "places"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [.lightweight(fromVersion: V1.self, toVersion: V2.self)]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Region") {
                Attribute("name", .string)
                Relationship("places", toMany: "Place", deleteRule: .cascade, inverse: "region")
            }
            Model("Place") {
                Attribute("name", .string)
                Attribute("providerID", .string.optional)
                Attribute("label", .string.optional)
                Attribute("number", .int.optional)
                Relationship("region", toOne: "Region", inverse: "places")
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Place") {
                Attribute("providerID", .string.optional, .unique)
                Attribute("number", .int.optional, .unique)
            }
        }
    }

    static let sql = """
        CREATE SCHEMA places;
        GRANT USAGE ON SCHEMA places TO syncserver_serving;
        CREATE TABLE places.region (LIKE sync.record INCLUDING ALL, name text NOT NULL);
        CREATE TABLE places.place (
            LIKE sync.record INCLUDING ALL, name text NOT NULL, provider_id text, label text, number bigint, region uuid
        );
        CREATE INDEX ON places.place (space_id, provider_id) WHERE alive;
        CREATE INDEX ON places.place (space_id, region) WHERE region IS NOT NULL;
        SELECT sync.enroll('places.region'), sync.enroll('places.place');
        """
}

/// Lends a server of places.
func withPlaces(_ body: (TestServer) async throws -> Void) async throws {
    let file = try MigrationFile(line: "places", fileName: "0001-create-places.sql", bytes: Array(PlacesPlan.sql.utf8))
    let line = try MigrationLine(name: "places", files: [file])
    try await withTestServer(PlacesPlan.self, migrations: line) { try await body($0) }
}
