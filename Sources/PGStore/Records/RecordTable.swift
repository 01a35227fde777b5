import Postgres
package import WireFormats

/// The table of one entity, with the statements that read and write its records. They are composed once, when the
/// server starts.
///
/// The first parameter of every statement is a space, and the statement reads no rows of other spaces. Row-level
/// security enforces the same.
package struct RecordTable: Sendable {
    package let entity: HubEntity
    /// The table's name, schema-qualified and quoted.
    package let name: String

    let select: Statement
    /// Reads the record with one id: the columns of its state, and those of all its attributes.
    let selectOne: Statement
    /// Checks that a record with one id exists. Returns a row without columns if it does.
    let look: Statement
    let selectLiveness: Statement
    let selectReferences: Statement
    let sizes: SizeStatements
    let writing: Writing
    /// The statements that find and change the records that refer to others: one group for each reference in
    /// `HubEntity.references`.
    let referrers: [ReferrerStatements]
    let bury: Statement
    /// The statements for columns whose values must be unique. Each of them finds the records that have one of several
    /// given values in one column. They are in the order of `HubEntity.uniqueColumns`.
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

    /// SQL for the space `$1` in a form that hides the space's id from PostgreSQL's planner. With the id, the planner
    /// could conclude from old statistics that the space has no records. It would then read the whole table to find a
    /// few.
    static let space = "(SELECT $1::uuid)"

    /// The columns that contain a record's state. A selected row begins with these columns, in this order; the columns
    /// of the attributes follow.
    static let stateColumns = [
        "id", "seq", "alive", "stamp", "stamps", "born", "died", "device", "dangling",
    ]

    /// Returns SQL that selects a column. A column of type `numeric` is selected as text, because this server handles
    /// decimals as texts.
    package static func selected(_ column: HubEntity.Column) -> String {
        column.type == .numeric ? "\(quoted(column.name))::text" : quoted(column.name)
    }

    /// Returns the type of the values that the SQL from `selected(_:)` gives for a column.
    static func selectedType(_ column: HubEntity.Column) -> SQLType {
        column.type == .numeric ? .text : SQLType(column.type)
    }

    /// Returns the types of the columns of a selected record: first those of its state, then those of its attributes.
    static func selectedTypes(of entity: HubEntity) -> [SQLType] {
        let state: [SQLType] = [.uuid, .int8, .bool, .int8, .bytea, .int8, .int8, .uuid, .int8]
        return state + entity.columns.map(selectedType)
    }

    /// The statements that write complete records. There are statements for a single record, and for any number of
    /// records.
    ///
    /// Inserting and updating are separate statements, because `INSERT … ON CONFLICT` costs half as much again as
    /// either: it looks up each key before it writes.
    struct Writing: Sendable {
        /// Inserts one record. `$1` is the space, and a value for each column follows.
        let insertOne: Statement
        let updateOne: Statement
        /// Updates records, but leaves some large columns unchanged. After the arrays of the columns, one more array
        /// contains a bit mask of these columns for each record. The values that are sent for these columns are
        /// ignored.
        let updateKeeping: Statement
        /// Inserts any number of records. `$1` is the space, and an array for each column follows.
        let insert: Statement
        let update: Statement
        /// Inserts records that have not changed since their creation, come from the same device, and have the same
        /// packed stamps. `$1` is the space, `$2` the device or null, and `$3` the packed stamps. Arrays of ids,
        /// sequence numbers, stamps and the values of each attribute follow.
        ///
        /// It costs PostgreSQL a tenth less than `insert`, which takes an array for every column of the table.
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

        /// The name of the column with the bit masks of unchanged columns. It contains a space, so it differs from the
        /// names of all attributes' columns, which are words of letters, digits and underscores.
        private static let kept = quoted("kept columns")

        /// Returns SQL that makes rows from arrays: each row has the elements at one position. The arrays are the
        /// parameters from number `first` on.
        ///
        /// The SQL does not use FROM unnest($2, $3, …), which would first store the elements of each array
        /// (nodeFunctionscan.c). Storing them would take a fifth of the whole cost of an insert.
        private static func unnesting(_ names: [String], _ types: [String], from first: Int) -> String {
            let elements = zip(names, types).enumerated().map { position, column in
                "unnest($\(first + position)::\(column.1)[]) AS \(column.0)"
            }
            return "SELECT \(elements.joined(separator: ", "))"
        }
    }

    /// Returns the statement that marks the living records among those with the ids `$2` as deleted. They get sequence
    /// numbers after `$3`.
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

/// The statements for one reference (a relationship). They run when its targets are deleted or restored, and concern
/// the records that refer to these targets. In each of them, `$1` is the space and `$2` the ids of the targets.
struct ReferrerStatements: Sendable {
    /// Applies the delete rule of the reference, after its targets were deleted: the reference reads as null from then
    /// on. If the relationship cascades, the referring records are also deleted.
    ///
    /// Referring records that were alive before get sequence numbers after `$3`. The statement returns these records.
    let lose: Statement
    /// Applies the delete rule of the reference, and returns only the number of referring records that were alive
    /// before.
    let loseCounting: Statement
    /// Makes the reference readable again, after its targets were created or restored. Living records whose reference
    /// changes by this get sequence numbers after `$3`, and the statement returns their number. Deleted records stay
    /// deleted.
    let regain: Statement
    /// Finds the deleted records that refer to one of the targets `$2` and were deleted only by a cascade. They can be
    /// restored together with the target.
    let fallen: Statement
    /// Finds the deleted records that refer to one of the targets `$2`.
    let deadReferrers: Statement
    /// Finds the living records that refer to one of the targets `$2`.
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
