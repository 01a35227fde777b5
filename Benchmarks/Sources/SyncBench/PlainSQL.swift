import BenchSupport
import Foundation

/// The minimum that any server must ask of this database for the same work: the same rows, with the same columns and
/// indexes, a counter for each space, one transaction for each push. No merging, no checks, no row-level security.
enum PlainSQL {
    /// Creates a copy of the activities' table with the rows of these spaces, and the counters.
    static func prepare(_ server: ServerProcess, copying spaces: some Sequence<UUID>) throws {
        let database = try Database(server.database)
        let counters = server.spaces.map { "('\($0)', 0)" }.joined(separator: ", ")
        try database.run(
            script: """
                CREATE SCHEMA bench;
                CREATE TABLE bench.space (space_id uuid PRIMARY KEY, head bigint NOT NULL);
                INSERT INTO bench.space VALUES \(counters);
                CREATE TABLE bench.activity (LIKE fitiq.sd_activity_snapshot INCLUDING ALL);
                """)
        for space in spaces {
            try database.run(
                script: """
                    SELECT set_config('sync.space', '\(space)', false);
                    INSERT INTO bench.activity SELECT * FROM fitiq.sd_activity_snapshot WHERE space_id = '\(space)';
                    """)
        }
        for table in ["bench.activity", "fitiq.sd_activity_snapshot", "fitiq.sd_meal_log_item"] {
            try database.run(script: "VACUUM ANALYZE \(table)")
        }
    }

    /// The attributes' columns with their types.
    private static let columns = [
        ("active_minutes", "bigint"), ("activity_level", "text"), ("calories_burned", "float8"),
        ("date", "timestamptz"), ("distance_km", "float8"), ("heart_rate_avg", "float8"), ("steps", "bigint"),
        ("workout_duration_minutes", "float8"), ("workout_sessions", "bigint"), ("created_at", "timestamptz"),
        ("updated_at", "timestamptz"), ("backend_id", "text"), ("backend_synced_at", "timestamptz"),
        ("user_profile", "uuid"),
    ]

    /// A statement with the parameters `$1` space, `$2` count, `$3` stamp, `$4` ids, and an array for each column.
    private static var upsert: String {
        let names = columns.map(\.0).joined(separator: ", ")
        let arrays = columns.enumerated().map { "$\($0 + 5)::\($1.1)[]" }.joined(separator: ", ")
        let updates = columns.map { "\($0.0) = EXCLUDED.\($0.0)" }.joined(separator: ", ")
        return """
            WITH counter AS (
                UPDATE bench.space SET head = head + $2::bigint WHERE space_id = $1::uuid RETURNING head
            )
            INSERT INTO bench.activity (space_id, id, seq, alive, stamp, born, died, \(names))
            SELECT $1::uuid, u.id, head - $2::bigint + u.place, true, $3::bigint, $3::bigint, 0, \(names)
            FROM counter, unnest($4::uuid[], \(arrays)) WITH ORDINALITY AS u (id, \(names), place)
            ON CONFLICT (space_id, id) DO UPDATE
            SET seq = EXCLUDED.seq, alive = EXCLUDED.alive, stamp = EXCLUDED.stamp, born = EXCLUDED.born,
                died = EXCLUDED.died, \(updates)
            """
    }

    /// Returns the values for `upsert`; the ids are placeholders.
    private static func values(_ space: UUID, _ count: Int, owner: String) -> [CString] {
        func array(_ value: (Int) -> String) -> String { "{\((0..<count).map(value).joined(separator: ","))}" }
        let texts = [
            "\(space)", "\(count)", "\(stampNow())", array { _ in Mark.id }, array { "\(20 + $0 % 60)" },
            array { _ in "moderate" }, array { "\(200 + $0).25" }, array { _ in "2026-01-31T08:00:00Z" },
            array { "\($0 % 20).125" }, array { _ in "96.5" }, array { "\(10000 + $0)" }, array { _ in "38.5" },
            array { _ in "1" }, array { _ in "2026-01-31T08:00:00.123Z" }, array { _ in "2026-01-31T09:30:00.5Z" },
            array { "activity-2026-01-31-\($0)" }, array { _ in "NULL" }, array { _ in owner },
        ]
        return texts.map { CString($0) }
    }

    /// Returns the index of an id in the array of ids, each with its comma.
    private static func idIndex(_ number: Int) -> Int { 1 + number * (Mark.id.utf8.count + 1) }

    static func push(_ title: String, _ stage: Stage) -> Workload {
        let (string, spaces) = (stage.server.database, stage.pushing(0))
        return Workload(title: title, side: .sql, unit: "records/s", clients: Stage.clients) { number in
            let database = try Database(string)
            try database.prepare(upsert)
            let values = values(spaces[spaces.startIndex + number], Stage.pushedAtOnce, owner: stage.profile)
            var source = IDSource()
            return {
                for number in 0..<Stage.pushedAtOnce { values[3].overwrite(idIndex(number), with: source.next()) }
                _ = try database.execute(values)
                return Stage.pushedAtOnce
            }
        }
    }

    static func update(_ title: String, _ stage: Stage) -> Workload {
        let string = stage.server.database
        return Workload(title: title, side: .sql, unit: "updates/s", clients: Stage.clients) { number in
            let database = try Database(string)
            try database.prepare(upsert)
            let values = values(stage.updating[stage.updating.startIndex + number], 1, owner: stage.profile)
            var step = 0
            return {
                step += 1
                values[3].overwrite(1, with: stage.knownIDs[number][step % stage.knownIDs[number].count])
                values[10].overwrite(1, with: String(10_000 + step % 90_000).utf8)
                _ = try database.execute(values)
                return 1
            }
        }
    }

    static func pull(_ title: String, _ stage: Stage) -> Workload {
        let (string, space) = (stage.server.database, "\(stage.pulledActivities)")
        return Workload(title: title, side: .sql, unit: "records/s", clients: 1) { _ in
            let database = try Database(string)
            try database.prepare(
                """
                SELECT seq, id, alive, stamp, stamps, born, died, dangling, \(columns.map(\.0).joined(separator: ", "))
                FROM bench.activity
                WHERE space_id = $1::uuid AND seq > $2::bigint
                ORDER BY seq
                LIMIT 1000
                """)
            return {
                var last: Int64 = 0
                var count = 0
                while true {
                    let page = try database.execute([CString(space), CString("\(last)")])
                    if page.rows == 0 { break }
                    count += page.rows
                    last = page.last
                }
                guard count == Stage.pulledCount else { throw Failure("The twin has \(count) rows.") }
                return count
            }
        }
    }

    static func poll(_ title: String, _ stage: Stage) -> Workload {
        let (string, space) = (stage.server.database, "\(stage.pulledActivities)")
        return Workload(title: title, side: .sql, unit: "polls/s", clients: Stage.clients) { _ in
            let database = try Database(string)
            try database.prepare("SELECT head FROM bench.space WHERE space_id = $1::uuid")
            let values = [CString(space)]
            return {
                guard try database.execute(values).rows == 1 else { throw Failure("A counter is missing.") }
                return 1
            }
        }
    }
}
