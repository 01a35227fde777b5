import PGMigrations
import Postgres
import SyncServer
import SyncTestSupport
import WireFormats

/// One game in three versions: 1.0.0 knows of no policies, 2.0.0 declares them, 3.0.0 reads two of them otherwise.
enum ScoresPlan: SchemaMigrationPlan {
    static let app = "scores"
    /// True if the policies are left out: a planted fault, which tests of policies must notice.
    @TaskLocal static var isPlain = false

    private static func unlessPlain(_ policy: MergePolicy) -> MergePolicy { isPlain ? .latest : policy }

    static let schemas: [any VersionedSchema.Type] = [V1.self, V2.self, V3.self]
    static let stages: [MigrationStage] = [
        .custom(fromVersion: V1.self, toVersion: V2.self) { Convert("Game.rank", using: RankNumber()) },
        .lightweight(fromVersion: V2.self, toVersion: V3.self),
    ]

    enum V1: VersionedSchema {
        static let versionIdentifier = Schema.Version(1, 0, 0)
        static let models = Models {
            Model("Game") {
                Attribute("name", .string, default: "")
                Attribute("best", .int, default: 0)
                Attribute("fastest", .decimal.optional)
                Attribute("played", .date.optional)
                Attribute("tags", .array(of: .string), default: [])
                Attribute("count", .int, default: 0)
                Attribute("rank", .string, default: "0")
            }
        }
    }

    enum V2: VersionedSchema {
        static let versionIdentifier = Schema.Version(2, 0, 0)
        static var models: Models {
            Models {
                Inherits(V1.self)
                Model("Game") {
                    Attribute("best", .int, default: 0, merge: unlessPlain(.max))
                    Attribute("fastest", .decimal.optional, merge: unlessPlain(.min))
                    Attribute("played", .date.optional, merge: unlessPlain(.max))
                    Attribute("tags", .array(of: .string), default: [], merge: unlessPlain(.union))
                    Attribute("count", .int, default: 0, merge: unlessPlain(.counter))
                    Attribute("wins", .int, default: 0, merge: unlessPlain(.counter))
                    Attribute("rank", .int, default: 0, merge: unlessPlain(.max))
                }
            }
        }
    }

    enum V3: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static var models: Models {
            Models {
                Inherits(V2.self)
                Model("Game") {
                    Attribute("points", .int.optional, originalName: "best", merge: unlessPlain(.max))
                    Attribute(
                        "labels", .array(of: .string).optional, originalName: "tags", merge: unlessPlain(.union))
                }
            }
        }
    }

    /// A rank as it was typed, and as a number: "3rd", 3.
    struct RankNumber: Conversion {
        let fidelity = Fidelity.lossy
        let examples = ["3rd", "12", ""]

        func up(_ older: String) -> Int { Int(older.prefix { $0.isNumber }) ?? 0 }
        func down(_ newer: Int) -> String { "\(newer)" }
    }

    static func withServer(
        now: (@Sendable () -> Timestamp)? = nil, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await withTestServer(ScoresPlan.self, migrations: migrations(), now: now) { try await body($0) }
    }

    static func migrations() throws -> MigrationLine {
        let sql = """
            CREATE SCHEMA scores;
            GRANT USAGE ON SCHEMA scores TO syncserver_serving;
            CREATE TABLE scores.game (
                LIKE sync.record INCLUDING ALL, name text NOT NULL, best bigint, fastest numeric, played timestamptz,
                tags json, count bigint NOT NULL, rank text NOT NULL, rank_v2 bigint NOT NULL, wins bigint NOT NULL
            );
            SELECT sync.enroll('scores.game');
            """
        let file = try MigrationFile(line: "scores", fileName: "0001-create-games.sql", bytes: Array(sql.utf8))
        return try MigrationLine(name: "scores", files: [file])
    }
}

extension TestServer {
    /// Returns what a new device of a version receives of one game.
    func game(_ id: ID, _ version: String = "2.0.0") async throws -> [String: JSONValue] {
        try await view(version)["Game"]?[id.description] ?? [:]
    }
}
