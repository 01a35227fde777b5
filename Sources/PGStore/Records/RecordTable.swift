import Postgres
package import WireFormats

/// One entity's table: the statements that read and write its records, composed once at start.
///
/// Every statement names the space first and reads rows of no other; row-level security enforces the same.
package struct RecordTable: Sendable {
    package let entity: HubEntity
    /// The table's name, schema-qualified and quoted.
    package let name: String

    let select: Statement
    /// As `select`, for one id.
    let selectOne: Statement
    /// Returns a row without columns for the record with one id.
    let look: Statement
    let selectLiveness: Statement
    let selectReferences: Statement
    let sizes: SizeStatements
    let writing: Writing
    /// The statements on referring records, by index in `HubEntity.references`.
    let referrers: [ReferrerStatements]
    let bury: Statement
    /// The statements that find holders of unique values, by index in `HubEntity.uniqueColumns`.
    let holders: [Statement]

    package init(_ entity: HubEntity, schema: String) {
        self.entity = entity
        name = "\(quoted(schema)).\(quoted(entity.table))"
        let table = name
        let columns = entity.columns.map { RecordTable.selected($0) }
        let selected = (RecordTable.stateColumns + columns).joined(separator: ", ")
        func searching(_ selected: String, returning types: [SQLType]? = nil) -> Statement {
            Statement(
                unchecked: "SELECT found.* FROM \(KeySearch(table, by: "id", selecting: selected).from)",
                returning: types)
        }
        let ofOne = "WHERE space_id = $1 AND id >= $2 AND id <= $2 ORDER BY id LIMIT 1"
        let types = RecordTable.selectedTypes(of: entity)
        select = searching(selected, returning: types)
        selectOne = Statement(unchecked: "SELECT \(selected) FROM \(table) \(ofOne)", returning: types)
        look = Statement(unchecked: "SELECT FROM \(table) \(ofOne)")
        selectLiveness = searching("id, alive, NOT alive AND (died <= born OR died = 0)")
        selectReferences = searching(
            (["id"] + entity.references.map { quoted(entity.columns[$0.column].name) }).joined(separator: ", "))
        sizes = SizeStatements(table: table, app: schema, entity: entity)
        writing = Writing(table: table, entity: entity)
        referrers = entity.references.indices.map { ReferrerStatements(table: table, entity: entity, reference: $0) }
        bury = RecordTable.buryStatement(table: table)
        holders = entity.uniqueColumns.map { index in
            let column = entity.columns[index]
            let search = KeySearch(
                table, by: quoted(column.name), type: column.type.rawValue,
                selecting: "id, \(RecordTable.selected(column))", where: "alive")
            return Statement(
                unchecked: "SELECT found.* FROM \(search.from)",
                returning: [.uuid, RecordTable.selectedType(column)])
        }
    }

    /// The space `$1` in a form that hides its value from PostgreSQL's planner. If the planner saw a space that was not
    /// in the table when its statistics were taken, with one other space in it, it would expect no records of the
    /// space, and would read the whole table to find a few.
    static let space = "(SELECT $1::uuid)"

    /// The columns that `select` returns before the attribute columns, in the order that `RecordTable.state` reads.
    static let stateColumns = [
        "id", "seq", "alive", "stamp", "stamps", "born", "died", "device", "dangling",
    ]

    /// SQL that selects a column: `numeric` as text, because our decimals are text.
    package static func selected(_ column: HubEntity.Column) -> String {
        column.type == .numeric ? "\(quoted(column.name))::text" : quoted(column.name)
    }

    /// The type of the column that `selected` returns.
    static func selectedType(_ column: HubEntity.Column) -> SQLType {
        column.type == .numeric ? .text : SQLType(column.type)
    }

    /// The types of the columns that `select` returns.
    static func selectedTypes(of entity: HubEntity) -> [SQLType] {
        let state: [SQLType] = [.uuid, .int8, .bool, .int8, .bytea, .int8, .int8, .uuid, .int8]
        return state + entity.columns.map(selectedType)
    }

    /// The statements that write whole records, for one and for any number of them.
    ///
    /// Inserts and updates are separate, because `INSERT … ON CONFLICT` costs half as much again as either: it looks up
    /// each key before it writes.
    struct Writing: Sendable {
        /// Inserts one record: `$1` is the space, then follows a value for each column.
        let insertOne: Statement
        let updateOne: Statement
        /// As `update`, with one more array at the end: for each record, a bit mask of the large columns that stay
        /// unchanged. The values sent for these columns are ignored.
        let updateKeeping: Statement
        /// Inserts any number of records: `$1` is the space, then follows an array for each column.
        let insert: Statement
        let update: Statement
        /// Inserts records that have been created and not changed since, all with the same written units: `$1` is the
        /// space, `$2` the device or null, `$3` the packed stamps; then follows an array for id, number, stamp and each
        /// attribute. That costs PostgreSQL a tenth less than an array for each column.
        let insertFresh: Statement

        init(table: String, entity: HubEntity) {
            let columns = entity.columns
            let attributes = columns.map { quoted($0.name) }
            let attributeTypes = columns.map(\.type.rawValue)
            let names = stateColumns + attributes
            let types =
                ["uuid", "bigint", "boolean", "bigint", "bytea", "bigint", "bigint", "uuid", "bigint"] + attributeTypes
            let values = types.enumerated().map { "$\($0 + 2)::\($1)" }
            let rows = Writing.unnesting(names, types, from: 2)
            let list = names.joined(separator: ", ")
            let into = "INSERT INTO \(table) (space_id, \(list))"
            // For one record, arrays would be most of the work.
            insertOne = Statement(unchecked: "\(into) VALUES ($1, \(values.joined(separator: ", ")))")
            insert = Statement(unchecked: "\(into) SELECT $1, u.* FROM (\(rows)) AS u")
            let fresh = Writing.unnesting(
                ["id", "seq", "stamp"] + attributes, ["uuid", "bigint", "bigint"] + attributeTypes, from: 4)
            let state = "id, seq, true, stamp, $3::bytea, stamp, 0, $2::uuid, 0"
            insertFresh = Statement(
                unchecked: """
                    \(into) SELECT \((["$1", state] + attributes).joined(separator: ", "))
                    FROM (\(fresh)) AS u
                    """)
            // The values that servers wrote to these columns before cursors had ranges. A server of that time, if still
            // running, would rely on them.
            let cleared = ", seen = NULL, since = NULL"
            let settings = zip(names, values).dropFirst().map { "\($0) = \($1)" }.joined(separator: ", ") + cleared
            // Updates by the location found: PostgreSQL then fetches one location, whatever its statistics of the table
            // are.
            let location = "SELECT ctid FROM \(table) WHERE space_id = $1 AND id >= $2 AND id <= $2 ORDER BY id LIMIT 1"
            updateOne = Statement(
                unchecked: "UPDATE \(table) AS r SET \(settings) WHERE r.space_id = $1 AND r.ctid = (\(location))")
            let updates = names.dropFirst().map { "\($0) = u.\($0)" }.joined(separator: ", ") + cleared
            func located(_ rows: String) -> String {
                let found = KeySearch.records(
                    of: table, by: "id", equal: "u.id", selecting: KeySearch.selectingLocation)
                return "(SELECT u.*, found.\(KeySearch.location) FROM (\(rows)) AS u CROSS JOIN LATERAL \(found)"
                    + " \(KeySearch.expectingFew)) AS u"
            }
            let isThere = "r.space_id = \(RecordTable.space) AND r.ctid = u.\(KeySearch.location)"
            update = Statement(
                unchecked: "UPDATE \(table) AS r SET \(updates) FROM \(located(rows)) WHERE \(isThere)")
            // PostgreSQL does not write a large value again that is assigned to its own column.
            let keeping = columns.indices.map { column in
                let (name, bit) = (attributes[column], Int64(bitPattern: entity.largeBits[column]))
                if bit == 0 { return "\(name) = u.\(name)" }
                return "\(name) = CASE WHEN u.\(Writing.kept) & \(bit)::bigint <> 0 THEN r.\(name) ELSE u.\(name) END"
            }
            let others = stateColumns.dropFirst().map { "\($0) = u.\($0)" }
            let keptRows = Writing.unnesting(names + [Writing.kept], types + ["bigint"], from: 2)
            updateKeeping = Statement(
                unchecked: """
                    UPDATE \(table) AS r SET \((others + keeping).joined(separator: ", "))\(cleared)
                    FROM \(located(keptRows))
                    WHERE \(isThere)
                    """)
        }

        /// The column name of the bit mask of unchanged columns. No attribute's column can have it, because it contains
        /// a space: those names are words of letters, digits and underscores.
        private static let kept = quoted("kept columns")

        /// SQL for one row per element of the arrays, whose parameters begin with number `first`.
        ///
        /// It does not use FROM unnest($2, $3, …), which first stores the elements of each array (nodeFunctionscan.c):
        /// that takes a fifth of the whole cost of an insert.
        private static func unnesting(_ names: [String], _ types: [String], from first: Int) -> String {
            let elements = zip(names, types).enumerated().map { position, column in
                "unnest($\(first + position)::\(column.1)[]) AS \(column.0)"
            }
            return "SELECT \(elements.joined(separator: ", "))"
        }
    }

    /// Marks living records dead and gives them numbers from `$3` on.
    private static func buryStatement(table: String) -> Statement {
        let hits = KeySearch(table, by: "id", selecting: KeySearch.selectingLocation, where: "alive")
        return Statement(
            unchecked: """
                WITH hit AS (
                    SELECT \(KeySearch.location), $3 + count(*) OVER (ROWS UNBOUNDED PRECEDING) AS seq
                    FROM \(hits.from)
                    \(KeySearch.expectingFew)
                )
                UPDATE \(table) AS r
                SET alive = false, seq = hit.seq, device = NULL, seen = NULL, since = NULL
                FROM hit
                WHERE r.space_id = \(RecordTable.space) AND r.ctid = hit.\(KeySearch.location)
                RETURNING r.id
                """)
    }
}

/// The statements for records that refer, through one relationship, to records that were deleted or restored.
struct ReferrerStatements: Sendable {
    /// Makes the reference read as null; `$1` is the space, `$2` the targets, `$3` the head. If the relationship
    /// cascades, the referring record dies. The living records among those affected get numbers after `$3`.
    let lose: Statement
    /// As `lose`, but returns only the count of those that were alive.
    let loseCounting: Statement
    /// Makes the reference read as its target again, without restoring any record. Returns the count of living records
    /// among those affected.
    let regain: Statement
    /// Finds dead records that may be restored together with their targets, because they were deleted only by cascade;
    /// `$1` is the space, `$2` the targets.
    let fallen: Statement
    /// Finds the dead records that refer to the targets; `$1` is the space, `$2` the targets.
    let deadReferrers: Statement
    /// Finds the living records that refer to the targets; `$1` is the space, `$2` the targets.
    let living: Statement

    init(table: String, entity: HubEntity, reference: Int) {
        let column = quoted(entity.columns[entity.references[reference].column].name)
        let bit = "\(UInt64(1) << UInt64(reference))::bigint"
        let dies = entity.references[reference].diesWithTarget
        func change(hits: String, dangling: String, alive: String, isCounted: Bool) -> Statement {
            let search = KeySearch(
                table, by: column, selecting: "\(KeySearch.selectingLocation), alive, seq", where: hits)
            let hit = """
                hit AS (
                    SELECT \(KeySearch.location), alive, CASE WHEN alive
                        THEN $3 + count(*) FILTER (WHERE alive) OVER (ROWS UNBOUNDED PRECEDING) ELSE seq END AS seq
                    FROM \(search.from)
                    \(KeySearch.expectingFew)
                )
                """
            let update = """
                UPDATE \(table) AS r
                SET dangling = \(dangling), alive = \(alive), seq = hit.seq,
                    device = NULL, seen = NULL, since = NULL
                FROM hit
                WHERE r.space_id = \(RecordTable.space) AND r.ctid = hit.\(KeySearch.location)
                """
            let (kept, selected) = isCounted ? ("", "count(*)") : (", r.id, r.\(column)", "id, \(column)")
            return Statement(
                unchecked: """
                    WITH \(hit), changed AS (\(update) RETURNING hit.alive\(kept))
                    SELECT \(selected) FROM changed WHERE alive
                    """)
        }
        func losing(isCounted: Bool) -> Statement {
            change(
                hits: dies ? "(dangling & \(bit) = 0 OR alive)" : "dangling & \(bit) = 0",
                dangling: "r.dangling | \(bit)", alive: dies ? "false" : "r.alive", isCounted: isCounted)
        }
        lose = losing(isCounted: false)
        loseCounting = losing(isCounted: true)
        regain = change(
            hits: "dangling & \(bit) <> 0", dangling: "r.dangling & ~\(bit)", alive: "r.alive", isCounted: true)
        func search(_ columns: String, where condition: String) -> String {
            "SELECT found.* FROM \(KeySearch(table, by: column, selecting: columns, where: condition).from)"
        }
        fallen = Statement(unchecked: search("id", where: "NOT alive AND (died <= born OR died = 0)"))
        deadReferrers = Statement(unchecked: search("id, \(column)", where: "NOT alive"))
        living = Statement(unchecked: search("id, \(column)", where: "alive") + " ORDER BY found.id")
    }
}
