import PGMigrations
import SyncEngine
import SyncServer
import SyncTestSupport
import WireFormats

/// A bookshop whose shelves and books had UUIDs and, from 2.0.0 on, have texts for ids. Its cards have UUIDs
/// throughout.
/// What its prices cannot be translated into from 3.0.0 on is up to `Fault`.
enum BookshopPlan<Fault: LensFault>: SchemaMigrationPlan {
    static var app: String { "bookshop" }
    static var schemas: [any VersionedSchema.Type] { [BookshopV1.self, BookshopV2.self, BookshopV3.self] }
    static var stages: [MigrationStage] {
        [
            .lightweight(fromVersion: BookshopV1.self, toVersion: BookshopV2.self),
            .custom(fromVersion: BookshopV2.self, toVersion: BookshopV3.self) {
                Convert("Book.price", to: "cents", using: Cents<Fault>())
            },
        ]
    }
}

enum BookshopV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models = Models {
        Model("Book") {
            Identity("id")
            Attribute("title", .string, default: "")
            Attribute("price", .string, default: "0")
            Attribute("code", .string.optional, .unique)
            Relationship("shelf", toOne: "Shelf", inverse: "books")
            Relationship("sequel", toOne: "Book")
        }
        Model("Shelf") {
            Identity("id")
            Attribute("name", .string, default: "")
            Relationship("books", toMany: "Book", deleteRule: .deny, inverse: "shelf")
        }
        Model("Card") {
            Identity("id")
            Relationship("book", toOne: "Book")
        }
    }
}

enum BookshopV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models = Models {
        Inherits(BookshopV1.self)
        Model("Shelf") { Identity("id", .string) }
        Model("Book") { Identity("id", .string) }
    }
}

enum BookshopV3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static let models = Models {
        Inherits(BookshopV2.self)
        Model("Book") {
            Removed("price")
            Attribute("cents", .int, default: 0)
        }
    }
}

/// Lends a server of the bookshop.
func withBookshop<Fault: LensFault>(
    _ fault: Fault.Type = NoFault.self, _ body: (TestServer) async throws -> Void
) async throws {
    let sql = """
        CREATE SCHEMA bookshop;
        GRANT USAGE ON SCHEMA bookshop TO syncserver_serving;
        CREATE TABLE bookshop.shelf (LIKE sync.record INCLUDING ALL, name text NOT NULL);
        CREATE TABLE bookshop.book (
            LIKE sync.record INCLUDING ALL, title text NOT NULL, price text NOT NULL, code text, shelf uuid,
            sequel uuid, cents bigint NOT NULL
        );
        CREATE TABLE bookshop.card (LIKE sync.record INCLUDING ALL, book uuid);
        CREATE INDEX ON bookshop.book (space_id, code) WHERE alive;
        CREATE INDEX ON bookshop.book (space_id, shelf) WHERE shelf IS NOT NULL;
        CREATE INDEX ON bookshop.book (space_id, sequel) WHERE sequel IS NOT NULL;
        CREATE INDEX ON bookshop.card (space_id, book) WHERE book IS NOT NULL;
        SELECT sync.enroll('bookshop.shelf'), sync.enroll('bookshop.book'), sync.enroll('bookshop.card');
        """
    let file = try MigrationFile(line: "bookshop", fileName: "0001-create-books.sql", bytes: Array(sql.utf8))
    let line = try MigrationLine(name: "bookshop", files: [file])
    try await withTestServer(BookshopPlan<Fault>.self, migrations: line) { try await body($0) }
}

extension TestServer {
    /// The key of a record of the bookshop.
    func key(_ entity: String, _ text: String) -> ID {
        guard let hub = plan.hub.entities.first(where: { $0.identity == entity }) else {
            preconditionFailure("The bookshop has no \(entity).")
        }
        return TextKey.key(of: text, app: plan.app, entity: hub)
    }

    /// Returns what a new device of this version receives, by ids to the byte: Swift takes texts for equal that differ
    /// only in their bytes.
    func received(_ version: String, _ entity: String, space: ID? = nil, limit: Int? = nil) async throws
        -> [[UInt8]: JSONValue]
    {
        var received: [[UInt8]: JSONValue] = [:]
        for change in try await device(version, space: space).pullAll(limit: limit)
        where change["entity"].string == entity {
            received[Array((change["id"].string ?? "").utf8)] = change
        }
        return received
    }
}
