import DemoApps
import Foundation
import PGMigrations
import PGStore
import Postgres
import SyncEngine
import SyncServer
import SyncTestSupport
import SyncTesting
import WireFormats

/// The contents of one release of the server: a plan that ends with a version, and migrations that end
/// with those of the version.
struct Release: Sendable {
    let version: Schema.Version
    let hub: Hub
    let lines: [MigrationLine]
    let folder: URL

    /// A release for each version of an app, in order.
    static func all(_ declaration: any SchemaMigrationPlan.Type) async throws -> [Release] {
        let plan = try Plan(declaration)
        let lines = try Repository.migrations()
        let counts = try await files(plan, lines)
        return try plan.schemas.indices.map { position in
            try Release(plan, position, lines, files: counts[position])
        }
    }

    /// The number of the app's files that each version needs: the first that make the tables of its hub.
    private static func files(_ plan: Plan, _ lines: [MigrationLine]) async throws -> [Int] {
        let line = lines.first { $0.name == plan.app }!
        return try await withTestDatabase { database in
            var counts: [Int] = []
            for count in 1...line.files.count {
                let beginning = try lines.cut(line.name, after: count)
                try await Migrator(database.connectionString, lines: beginning).up(contracts: .run)
                let session = try await database.session()
                while counts.count < plan.schemas.count,
                    try await session.differences(of: plan.cut(after: counts.count).hub).isEmpty
                {
                    counts.append(count)
                }
                await session.close()
            }
            precondition(counts.count == plan.schemas.count, "a version has no tables")
            return counts
        }
    }

    private init(_ plan: Plan, _ position: Int, _ all: [MigrationLine], files count: Int) throws {
        version = plan.schemas[position].version
        hub = plan.cut(after: position).hub
        lines = try all.cut(plan.app, after: count)
        folder = FileManager.default.temporaryDirectory.appending(path: "release-\(UUID())")
        try FileManager.default.copyItem(at: URL(filePath: Repository.migrationsDirectory), to: folder)
        try FileManager.default.removeItem(at: folder.appending(path: "schemas.lock"))
        for file in all.flatMap(\.files) where file.id.line == plan.app && file.id.number > count {
            try FileManager.default.removeItem(at: folder.appending(path: file.path))
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}

extension Session {
    fileprivate func differences(of hub: Hub) throws -> [Agreement.Difference] {
        try Agreement.differences(of: hub, self)
    }

    /// A token for these spaces.
    func grant(_ spaces: [ID]) throws -> String {
        let secret = Secret()
        try TokenStore.add(secret, Grant(app: nil, subject: "fleet", role: .write, spaces: spaces), self)
        return secret.text
    }

    /// Reads a record of a table.
    ///
    /// - Returns: how long it took, measured on the session's own thread: what else this process computes is none of
    ///   PostgreSQL's doing.
    func read(_ table: String) throws -> Duration {
        let start = ContinuousClock.now
        try execute(Command(Statement(unchecked: "SELECT id FROM \(table) LIMIT 1")))
        return ContinuousClock.now - start
    }

    /// Fills each table that has fewer rows, in spaces of nobody.
    func fill(_ hub: Hub, count: Int) throws {
        for entity in hub.entities {
            let table = "\(hub.schema).\(entity.table)"
            let known = try execute(
                Command(Statement(unchecked: "SELECT count(*) FROM (SELECT FROM \(table) LIMIT \(count)) AS found")))
            let missing = count - Int(known.int(0, 0))
            if missing <= 0 { continue }
            let columns = entity.columns.filter { !$0.isNullable }
            let names = columns.map { ", \"\($0.name)\"" }.joined()
            let values = columns.map { ", \(sample($0.type))" }.joined()
            try execute(
                Command(
                    Statement(
                        unchecked: """
                            INSERT INTO \(table) (space_id, id, seq, alive, stamp, born, died\(names))
                            SELECT md5('space ' || n % 50)::uuid, gen_random_uuid(), n, true, n, n, 0\(values)
                            FROM generate_series(1, \(missing)) AS n
                            """)))
        }
    }

    private func sample(_ type: ColumnType) -> String {
        switch type.rawValue {
        case "text": "'2 cups'"
        case "bytea": "'\\x00'"
        case "boolean": "true"
        case "timestamp with time zone": "now()"
        case "uuid": "gen_random_uuid()"
        case "json", "jsonb": "'[]'"
        default: "1"
        }
    }
}
