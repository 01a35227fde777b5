import PGMigrations
import WireFormats

/// Books on shelves, which go with them: an app whose statements are of every kind.
enum ShelvesPlan: SchemaMigrationPlan {
    static let app = "shelves"
    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self]
    static let stages: [MigrationStage] = [.lightweight(fromVersion: V1.self, toVersion: V2.self)]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Shelf") {
                Attribute("name", .string)
                Relationship("books", toMany: "Book", deleteRule: .cascade, inverse: "shelf")
            }
            Model("Book") {
                Attribute("title", .string)
                Attribute("isbn", .string.optional)
                // A word that statements need, too.
                Attribute("place", .string.optional)
                Relationship("shelf", toOne: "Shelf", inverse: "books")
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static let models = Models {
            Inherits(V1.self)
            Model("Book") {
                Identity("id", .string)
                Attribute("isbn", .string.optional, .unique)
                Attribute("note", .string.optional)
            }
        }
    }

    static func migrations() throws -> MigrationLine {
        let sql = """
            CREATE SCHEMA shelves;
            GRANT USAGE ON SCHEMA shelves TO syncserver_serving;
            CREATE TABLE shelves.shelf (LIKE sync.record INCLUDING ALL, name text NOT NULL);
            SELECT sync.enroll('shelves.shelf');
            CREATE TABLE shelves.book (
                LIKE sync.record INCLUDING ALL, title text NOT NULL, isbn text, place text, shelf uuid,
                note text
            );
            CREATE INDEX ON shelves.book (space_id, shelf);
            CREATE INDEX ON shelves.book (space_id, isbn) WHERE alive;
            SELECT sync.enroll('shelves.book');
            """
        let file = try MigrationFile(line: app, fileName: "0001-create-shelves.sql", bytes: Array(sql.utf8))
        return try MigrationLine(name: app, files: [file])
    }
}
