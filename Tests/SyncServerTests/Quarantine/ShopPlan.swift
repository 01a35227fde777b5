import PGMigrations
import PGStore
import Postgres
import StrictJSON
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import WireFormats

/// A shop whose prices were text, each form in a column of its own, and whose codes were numbers, which share one with
/// the text that they became. What its conversions cannot translate is up to `Fault`; the shapes are the same.
enum ShopPlan<Fault: LensFault>: SchemaMigrationPlan {
    static var app: String { "shop" }
    static var schemas: [any VersionedSchema.Type] { [ShopV1.self, ShopV2.self] }
    static var stages: [MigrationStage] {
        [
            .custom(fromVersion: ShopV1.self, toVersion: ShopV2.self) {
                Convert("Item.price", to: "cents", using: Cents<Fault>())
                Convert("Item.code", using: Code<Fault>())
            }
        ]
    }
}

/// A choice of the shop's values that cannot be translated.
protocol LensFault: Sendable {
    static func check(price: String) throws(LensFailure)
    static func check(code: String) throws(LensFailure)
}

/// None: the fixed plan.
enum NoFault: LensFault {
    static func check(price: String) throws(LensFailure) {}
    static func check(code: String) throws(LensFailure) {}
}

/// One price, and every code that begins with an x.
enum OneFault: LensFault {
    static func check(price: String) throws(LensFailure) {
        if price == "13" { throw LensFailure("13 is unlucky") }
    }

    static func check(code: String) throws(LensFailure) {
        if code.hasPrefix("x") { throw LensFailure("\(code) is no number") }
    }
}

enum ShopV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static let models = Models {
        Model("Item") {
            Attribute("name", .string)
            Attribute("price", .string, default: "0")
            Attribute("code", .int, default: 7)
            Attribute("note", .string.optional)
            Attribute("sold", .int, default: 0, merge: .counter)
        }
    }
}

enum ShopV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static let models = Models {
        Inherits(ShopV1.self)
        Model("Item") {
            Removed("price")
            Attribute("cents", .int, default: 0)
            Attribute("code", .string, default: "7")
            Attribute("name", .string, .unique)
        }
    }
}

struct Cents<Fault: LensFault>: Conversion {
    func up(_ older: String) throws(LensFailure) -> Int {
        try Fault.check(price: older)
        return (Int(older) ?? 0) &* 100
    }
    func down(_ newer: Int) -> String { "\(newer / 100)" }
    var fidelity: Fidelity { .lossy }
    var examples: [String] { ["13", "1"] }
}

struct Code<Fault: LensFault>: Conversion {
    func up(_ older: Int) -> String { "\(older)" }
    func down(_ newer: String) throws(LensFailure) -> Int {
        try Fault.check(code: newer)
        return Int(newer) ?? -1
    }
    var fidelity: Fidelity { .projecting }
    var examples: [Int] { [1] }
}

/// Lends a server of the shop whose conversions fail.
func withShop<Fault: LensFault>(
    _ fault: Fault.Type = OneFault.self, _ body: (TestServer) async throws -> Void
) async throws {
    let sql = """
        CREATE SCHEMA shop;
        GRANT USAGE ON SCHEMA shop TO syncserver_serving;
        CREATE TABLE shop.item (
            LIKE sync.record INCLUDING ALL, name text NOT NULL, price text NOT NULL, code text NOT NULL, note text,
            cents bigint NOT NULL, sold bigint NOT NULL
        );
        CREATE INDEX ON shop.item (space_id, name) WHERE alive;
        SELECT sync.enroll('shop.item');
        """
    let file = try MigrationFile(line: "shop", fileName: "0001-create-item.sql", bytes: Array(sql.utf8))
    let line = try MigrationLine(name: "shop", files: [file])
    try await withTestServer(ShopPlan<Fault>.self, migrations: line) { try await body($0) }
}

extension TestServer {
    /// Replays the changes held in the server's space, with its lenses fixed or not.
    func replay<Fault: LensFault>(
        _ fault: Fault.Type, _ ids: Set<Int64>? = nil, isDryRun: Bool = false
    ) async throws -> [String] {
        try await database.withEngine(Plan(ShopPlan<Fault>.self)) { engine in
            try await engine.replay(ids, in: space, isDryRun: isDryRun).map(\.verdict.name)
        }
    }

    /// The verdicts of a server whose lenses have been fixed.
    func pushMended(_ changes: [JSONValue], by device: ID = .random()) async throws -> [String] {
        try await database.withEngine(Plan(ShopPlan<NoFault>.self)) { engine in
            let document = try JSONDocument(parsing: JSONValue.array(changes).bytes)
            let caller = SyncEngine.Caller(space: space, version: 0, device: device)
            return try await engine.push(document.root, cursor: nil, as: caller).verdicts.map(\.name)
        }
    }

    func held(in space: ID? = nil) async throws -> [QuarantinedChange] {
        try await withEngine { try await $0.held(in: space ?? self.space) }
    }

    /// Every row of the shop, but for what only says when and by whom it was numbered.
    func rows() async throws -> [String] {
        let session = try await Session.open(database.superuserConnectionString)
        let rows = try await session.execute(
            Command(
                """
                SELECT (to_jsonb(i) - '{space_id,seq,device,seen,since}'::text[])::text FROM shop.item AS i ORDER BY id
                """))
        await session.close()
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    func asOwner(_ sql: String) async throws {
        let session = try await Session.open(database.superuserConnectionString)
        _ = try await session.execute(Command(Statement(unchecked: sql)))
        await session.close()
    }
}
