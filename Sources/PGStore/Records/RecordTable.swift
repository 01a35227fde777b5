import Postgres
package import WireFormats

/// One entity's table: the statements that read and write its records, composed once at start.
///
/// Every statement names the space first and needs rows of no other; row-level security says the same a second time.
package struct RecordTable: Sendable {
    package let entity: HubEntity
    /// Schema-qualified and quoted.
    package let name: String

    let select: Statement
    /// The same for one id.
    let selectOne: Statement
    /// A row without columns for the record with one id.
    let look: Statement
    let selectLives: Statement
    let selectReferences: Statement
    let sizes: SizeStatements
    let writing: Writing
    /// By place in `HubEntity.references`.
    let referrers: [ReferrerStatements]
    let bury: Statement
    /// By place in `HubEntity.uniqueColumns`.
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
        selectLives = searching("id, alive, NOT alive AND (died <= born OR died = 0)")
        selectReferences = searching(
            (["id"] + entity.references.map { quoted(entity.columns[$0.column].name) }).joined(separator: ", "))
        sizes = SizeStatements(table: table, app: schema, entity: entity)
        writing = Writing(table: table, entity: entity)
        referrers = entity.references.indices.map { ReferrerStatements(table: table, entity: entity, reference: $0) }
        bury = RecordTable.buryStatement(table: table)
        holders = entity.uniqueColumns.map { place in
            let column = entity.columns[place]
            let search = KeySearch(
                table, by: quoted(column.name), type: column.type.rawValue,
                selecting: "id, \(RecordTable.selected(column))", where: "alive")
            return Statement(
                unchecked: "SELECT found.* FROM \(search.from)",
                returning: [.uuid, RecordTable.selectedType(column)])
        }
    }

    /// `$1`, the space, where PostgreSQL does not see which it is. If it did, it would expect no records of one that
    /// was not there when its statistics were taken of a table with one space, and read all of it to find a few.
    static let space = "(SELECT $1::uuid)"

    /// What `select` returns before the attribute columns, in the order that `RecordTable.state` reads.
    static let stateColumns = [
        "id", "seq", "alive", "stamp", "stamps", "born", "died", "device", "dangling",
    ]

    /// A column as it is selected: `numeric` in text, because our decimals are text.
    package static func selected(_ column: HubEntity.Column) -> String {
        column.type == .numeric ? "\(quoted(column.name))::text" : quoted(column.name)
    }

    /// What `selected` returns.
    static func selectedType(_ column: HubEntity.Column) -> SQLType {
        column.type == .numeric ? .text : SQLType(column.type)
    }

    /// What `select` returns.
    static func selectedTypes(of entity: HubEntity) -> [SQLType] {
        let state: [SQLType] = [.uuid, .int8, .bool, .int8, .bytea, .int8, .int8, .uuid, .int8]
        return state + entity.columns.map(selectedType)
    }

    /// The statements that write whole records, for one and for any number of them.
    ///
    /// Apart, because `INSERT … ON CONFLICT` costs half as much again as either: it looks each key up before it writes.
    struct Writing: Sendable {
        /// `$1` the space, then a value for each column.
        let insertOne: Statement
        let updateOne: Statement
        /// As `update`, and a last array that says of each record which of the large columns stay as they are; what is
        /// sent for them does not matter.
        let updateKeeping: Statement
        /// `$1` the space, then an array for each column.
        let insert: Statement
        let update: Statement
        /// For records of which nothing was said but their creation, and of each the same units: `$1` the space, `$2`
        /// the device or null, `$3` the packed stamps; then an array for id, number, stamp and each attribute. That is
        /// a tenth less for PostgreSQL than an array for each column.
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
            // Of one record, arrays would be most of the work.
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
            // What servers wrote there before cursors had ranges, which such a server, still at work, would go by.
            let cleared = ", seen = NULL, since = NULL"
            let settings = zip(names, values).dropFirst().map { "\($0) = \($1)" }.joined(separator: ", ") + cleared
            // Where it was found: there PostgreSQL goes for one place whatever it believes of the table.
            let place = "SELECT ctid FROM \(table) WHERE space_id = $1 AND id >= $2 AND id <= $2 ORDER BY id LIMIT 1"
            updateOne = Statement(
                unchecked: "UPDATE \(table) AS r SET \(settings) WHERE r.space_id = $1 AND r.ctid = (\(place))")
            let updates = names.dropFirst().map { "\($0) = u.\($0)" }.joined(separator: ", ") + cleared
            func located(_ rows: String) -> String {
                let found = KeySearch.records(
                    of: table, by: "id", equal: "u.id", selecting: KeySearch.selectingPlace)
                return "(SELECT u.*, found.\(KeySearch.place) FROM (\(rows)) AS u CROSS JOIN LATERAL \(found)"
                    + " \(KeySearch.expectingFew)) AS u"
            }
            let isThere = "r.space_id = \(RecordTable.space) AND r.ctid = u.\(KeySearch.place)"
            update = Statement(
                unchecked: "UPDATE \(table) AS r SET \(updates) FROM \(located(rows)) WHERE \(isThere)")
            // PostgreSQL does not write a large value again that is assigned to where it came from.
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

        /// No attribute's column: those are words of letters, digits and underscores.
        private static let kept = quoted("kept columns")

        /// A row for each element of the arrays that begin with the parameter `first`.
        ///
        /// Not FROM unnest($2, $3, …), which first stores the elements of each array (nodeFunctionscan.c): that is a
        /// fifth of all that an insert costs.
        private static func unnesting(_ names: [String], _ types: [String], from first: Int) -> String {
            let elements = zip(names, types).enumerated().map { place, column in
                "unnest($\(first + place)::\(column.1)[]) AS \(column.0)"
            }
            return "SELECT \(elements.joined(separator: ", "))"
        }
    }

    /// Marks living records dead and numbers them from `$3` on.
    private static func buryStatement(table: String) -> Statement {
        let hits = KeySearch(table, by: "id", selecting: KeySearch.selectingPlace, where: "alive")
        return Statement(
            unchecked: """
                WITH hit AS (
                    SELECT \(KeySearch.place), $3 + count(*) OVER (ROWS UNBOUNDED PRECEDING) AS seq
                    FROM \(hits.from)
                    \(KeySearch.expectingFew)
                )
                UPDATE \(table) AS r
                SET alive = false, seq = hit.seq, device = NULL, seen = NULL, since = NULL
                FROM hit
                WHERE r.space_id = \(RecordTable.space) AND r.ctid = hit.\(KeySearch.place)
                RETURNING r.id
                """)
    }
}

/// What a death or a return to life of targets does to the records that refer to them through one relationship.
struct ReferrerStatements: Sendable {
    /// `$1` space, `$2` targets, `$3` head: the reference reads as null from now on; where the relationship cascades,
    /// the record dies. Living records that it hits are numbered from `$3` on.
    let lose: Statement
    /// The same, and returns only how many were alive.
    let loseCounting: Statement
    /// The reverse, but that nothing comes back to life by it; returns how many are alive.
    let regain: Statement
    /// Dead records that may come back to life with their targets.
    let fallen: Statement
    /// `$1` space, `$2` targets: the dead records that refer to them.
    let deadReferrers: Statement
    /// `$1` space, `$2` targets: the living records that refer to them.
    let living: Statement

    init(table: String, entity: HubEntity, reference: Int) {
        let column = quoted(entity.columns[entity.references[reference].column].name)
        let bit = "\(UInt64(1) << UInt64(reference))::bigint"
        let dies = entity.references[reference].diesWithTarget
        func change(hits: String, dangling: String, alive: String, isCounted: Bool) -> Statement {
            let search = KeySearch(
                table, by: column, selecting: "\(KeySearch.selectingPlace), alive, seq", where: hits)
            let hit = """
                hit AS (
                    SELECT \(KeySearch.place), alive, CASE WHEN alive
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
                WHERE r.space_id = \(RecordTable.space) AND r.ctid = hit.\(KeySearch.place)
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
