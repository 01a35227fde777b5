package import Postgres
package import WireFormats

/// The statements that find, clear and remove old tombstones of one space, composed once at start.
///
/// A record that only went with another comes back with it. So it is kept as long as what it went with is kept, and is
/// removed before it: without it a late edit would bring the record back alone.
package struct Tombstones: Sendable {
    /// Where records of one entity go with records of another.
    package struct Link: Sendable {
        /// Places in `Hub.entities`.
        package let child: Int
        package let parent: Int
        /// `$1` space, `$2` number: old children that went with a parent whose tombstone is younger.
        let ofYoung: Statement
        /// `$3` parents: the old children that went with one of them.
        let ofThese: Statement
        /// What of a parent `p` says that no child is left that went with it.
        let isChildless: String
    }

    package let links: [Link]
    private let tables: [RecordTable]
    /// By place in `Hub.entities`.
    private let counts: [Statement]
    private let removals: [Statement]
    private let clearings: [Statement]
    private let clearingCounts: [Statement]

    package init(_ hub: Hub, tables: [RecordTable]) {
        let links = Tombstones.links(of: hub, tables)
        self.links = links
        self.tables = tables
        let old = "p.space_id = $1 AND NOT p.alive AND p.seq <= $2 AND p.id <> ALL ($3)"
        // An order, so that what is old is found by number.
        func count(_ table: RecordTable, _ condition: String) -> Statement {
            let found = "SELECT FROM \(table.name) AS p WHERE \(condition) ORDER BY p.seq"
            return Statement(unchecked: "SELECT count(*) FROM (\(found)) AS old")
        }
        counts = tables.map { count($0, old) }
        let full = "\(old) AND (p.stamps <> $4 OR p.died <= p.born OR p.died = 0)"
        clearingCounts = tables.map { count($0, full) }
        clearings = tables.map { Tombstones.clearing($0, condition: full) }
        removals = tables.indices.map { place in
            let conditions = [old] + links.filter { $0.parent == place }.map(\.isChildless)
            return Statement(
                unchecked: """
                    WITH hit AS (
                        SELECT p.ctid AS place FROM \(tables[place].name) AS p
                        WHERE \(conditions.joined(separator: "\n        AND "))
                        ORDER BY p.seq LIMIT $4
                    ), gone AS (
                        DELETE FROM \(tables[place].name) AS r USING \(Tombstones.hits) AS hit
                        WHERE r.space_id = \(RecordTable.space) AND r.ctid = hit.place
                        RETURNING r.seq
                    )
                    SELECT count(*), coalesce(max(seq), 0) FROM gone
                    """)
        }
    }

    /// The places of `hit`, of which PostgreSQL should expect few.
    private static let hits =
        "(SELECT place FROM (SELECT place FROM hit \(KeySearch.expectingFew)) AS hit \(KeySearch.expectingFew))"

    /// Reads the ids of old records that went with one whose tombstone is younger than number `last`.
    package func childrenOfYoung(_ link: Link, in space: ID, through last: Int64) -> Command {
        Command(link.ofYoung, [.id(space), .int(last)])
    }

    /// Reads the ids of old records that went with one of `parents`.
    package func children(
        of parents: some Sequence<ID>, _ link: Link, in space: ID, through last: Int64
    ) -> Command {
        Command(link.ofThese, [.id(space), .int(last), .ids(parents)])
    }

    /// What `removing` or `clearing` did.
    package struct Removal: Sendable {
        package let count: Int
        /// The highest number among them; 0 where there was none.
        package let last: Int64

        package init(_ rows: Rows) { (count, last) = (Int(rows.int(0, 0)), rows.int(0, 1)) }
    }

    /// Removes at most `limit` tombstones of the entity at `place` with numbers up to `last`, but those of `kept`.
    /// Returns a `Removal`.
    package func removing(
        _ place: Int, in space: ID, through last: Int64, but kept: some Sequence<ID>, limit: Int
    ) -> Command {
        Command(removals[place], [.id(space), .int(last), .ids(kept), .int(Int64(limit))])
    }

    /// Counts the tombstones with numbers up to `last`, but those of `kept`.
    package func counting(
        _ place: Int, in space: ID, through last: Int64, but kept: some Sequence<ID>
    ) -> Command {
        Command(counts[place], [.id(space), .int(last), .ids(kept)])
    }

    /// Clears what at most `limit` dead records of the entity at `place` with numbers behind `first` and up to `last`
    /// hold, but those of `kept`: each is left as a deletion of a record that nobody knew leaves it. Returns a
    /// `Removal`.
    ///
    /// What only went with another is from then on deleted itself. It could only come back empty.
    ///
    /// - Parameters:
    ///   - died: when that was, at the latest.
    ///   - blank: a value for each column, which nobody is told.
    package func clearing(
        _ place: Int, in space: ID, after first: Int64, through last: Int64, but kept: some Sequence<ID>, limit: Int,
        died: Stamp, to blank: [Value]
    ) -> Command {
        let values = zip(blank, tables[place].entity.columns).map { Parameter.value($0, as: SQLType($1.type)) }
        let range: [Parameter] = [.int(Int64(limit)), .int(first), .int(died.rawValue)]
        return Command(
            clearings[place], [.id(space), .int(last), .ids(kept), .bytes(unsaid(place))] + range + values)
    }

    /// Counts what `clearing` would clear.
    package func countingClearable(
        _ place: Int, in space: ID, through last: Int64, but kept: some Sequence<ID>
    ) -> Command {
        Command(clearingCounts[place], [.id(space), .int(last), .ids(kept), .bytes(unsaid(place))])
    }

    /// How the stamps of a record are stored of which nothing was said but its deletion.
    private func unsaid(_ place: Int) -> [UInt8] {
        let entity = tables[place].entity
        return StampSet(units: entity.units.count).stored(of: entity).packed
    }

    private static func clearing(_ table: RecordTable, condition: String) -> Statement {
        let values = table.entity.columns.enumerated().map { place, column in
            "\(quoted(column.name)) = $\(place + 8)::\(column.type.rawValue)"
        }
        return Statement(
            unchecked: """
                WITH hit AS (
                    SELECT p.ctid AS place FROM \(table.name) AS p
                    WHERE \(condition) AND p.seq > $6 ORDER BY p.seq LIMIT $5
                ), cleared AS (
                    UPDATE \(table.name) AS r
                    SET stamp = 0, stamps = $4, dangling = 0,
                        died = CASE WHEN died > born THEN died ELSE greatest(born + 1, stamp + 1, $7) END,
                        \(values.joined(separator: ", "))
                    FROM \(hits) AS hit
                    WHERE r.space_id = \(RecordTable.space) AND r.ctid = hit.place
                    RETURNING r.seq
                )
                SELECT count(*), coalesce(max(seq), 0) FROM cleared
                """)
    }

    private static func links(of hub: Hub, _ tables: [RecordTable]) -> [Link] {
        hub.entities.flatMap { entity in
            entity.references.flatMap { reference in
                let column = quoted(entity.columns[reference.column].name)
                var links: [Link] = []
                if reference.diesWithTarget {
                    links.append(link(entity.index, column, with: reference.target, "id", tables))
                }
                if reference.takesTargetAlong {
                    links.append(link(reference.target, "id", with: entity.index, column, tables))
                }
                return links
            }
        }
    }

    /// - Parameters:
    ///   - key: the child's column that holds what `named` of its parent does.
    private static func link(
        _ child: Int, _ key: String, with parent: Int, _ named: String, _ tables: [RecordTable]
    ) -> Link {
        let fallen = "NOT c.alive AND (c.died <= c.born OR c.died = 0)"
        func children(of parent: String, selecting columns: String, and condition: String) -> String {
            """
            SELECT \(columns) FROM \(tables[child].name) AS c
            WHERE c.space_id = \(RecordTable.space) AND c.\(key) >= \(parent) AND c.\(key) <= \(parent)
                AND \(fallen) AND \(condition)
            ORDER BY c.\(key)
            """
        }
        // The parents first, and then their children by the index of what refers to them: mostly there are none. As a
        // join, PostgreSQL may go through all children in each step.
        func children(of parents: String) -> Statement {
            Statement(
                unchecked: """
                    SELECT found.id FROM (\(parents)) AS p CROSS JOIN LATERAL (
                        \(children(of: "p.\(named)", selecting: "c.id", and: "c.seq <= $2"))
                    ) AS found
                    """)
        }
        let young = "SELECT \(named) FROM \(tables[parent].name) WHERE space_id = $1 AND NOT alive AND seq > $2"
        let these = KeySearch(tables[parent].name, by: "id", of: "$3", selecting: named)
        // A record that refers to itself does not keep itself.
        let others = child == parent ? "c.id <> p.id" : "true"
        return Link(
            child: child, parent: parent,
            ofYoung: children(of: young + " ORDER BY seq"), ofThese: children(of: "SELECT found.* FROM \(these.from)"),
            isChildless: "(\(children(of: "p.\(named)", selecting: "true", and: others)) LIMIT 1) IS NULL")
    }
}
