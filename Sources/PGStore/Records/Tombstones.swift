package import Postgres
package import WireFormats

/// The statements that find, clear and remove old tombstones (the rows of deleted records) of one space. They are
/// composed once, when the server starts.
///
/// A record (the child) that was deleted only because another one (its parent) was deleted is restored together with
/// the parent. Therefore the child's tombstone is kept as long as the parent's, and is removed before the parent's.
/// Otherwise a late edit could restore only one of the two.
package struct Tombstones: Sendable {
    /// A relationship through which the deletion of a record (the parent) also deletes records of another entity (its
    /// children).
    package struct Link: Sendable {
        /// The child's entity, as an index in `Hub.entities`. `parent` is the index of the parent's entity.
        package let child: Int
        package let parent: Int
        /// Finds the children that were deleted together with a parent, if the child's tombstone is old and the
        /// parent's is not. Tombstones with sequence numbers up to `$2` are old. `$1` is the space.
        let ofYoung: Statement
        /// Finds the children that were deleted together with one of the parents `$3` (an array of ids). Children with
        /// sequence numbers above `$2` are not searched. `$1` is the space.
        let ofThese: Statement
        /// An SQL condition on a parent `p`. It is true if no child that was deleted together with the parent has a
        /// tombstone any more.
        let isChildless: String
    }

    package let links: [Link]
    private let tables: [RecordTable]
    /// The statements that count the old tombstones of each entity, in the order of `Hub.entities`.
    private let counts: [Statement]
    private let removals: [Statement]
    private let clearings: [Statement]
    private let clearingCounts: [Statement]

    package init(_ hub: Hub, tables: [RecordTable]) {
        let links = Tombstones.links(of: hub, tables)
        self.links = links
        self.tables = tables
        let old = "p.space_id = $1 AND NOT p.alive AND p.seq <= $2 AND p.id <> ALL ($3)"
        // The order makes PostgreSQL find old records by number.
        func count(_ table: RecordTable, _ condition: String) -> Statement {
            let found = "SELECT FROM \(table.name) AS p WHERE \(condition) ORDER BY p.seq"
            return Statement(unchecked: "SELECT count(*) FROM (\(found)) AS old")
        }
        counts = tables.map { count($0, old) }
        let full = "\(old) AND (p.stamps <> $4 OR p.died <= p.born OR p.died = 0)"
        clearingCounts = tables.map { count($0, full) }
        clearings = tables.map { Tombstones.clearing($0, condition: full) }
        removals = tables.indices.map { index in
            let conditions = [old] + links.filter { $0.parent == index }.map(\.isChildless)
            return Statement(
                unchecked: """
                    WITH hit AS (
                        SELECT p.ctid AS place FROM \(tables[index].name) AS p
                        WHERE \(conditions.joined(separator: "\n        AND "))
                        ORDER BY p.seq LIMIT $4
                    ), gone AS (
                        DELETE FROM \(tables[index].name) AS r USING \(Tombstones.hits) AS hit
                        WHERE r.space_id = \(RecordTable.space) AND r.ctid = hit.place
                        RETURNING r.seq
                    )
                    SELECT count(*), coalesce(max(seq), 0) FROM gone
                    """)
        }
    }

    /// SQL that selects the locations (`ctid`) of the rows to delete or to clear. It makes PostgreSQL expect few rows,
    /// so that it fetches each location and does not read the whole space.
    private static let hits =
        "(SELECT place FROM (SELECT place FROM hit \(KeySearch.expectingFew)) AS hit \(KeySearch.expectingFew))"

    /// Reads the ids of the children that were deleted together with their parent, and whose tombstones have sequence
    /// numbers up to `last` while the parent's has a higher one.
    package func childrenOfYoung(_ link: Link, in space: ID, through last: Int64) -> Command {
        Command(link.ofYoung, [.id(space), .int(last)])
    }

    /// Reads the ids of the children that were deleted together with one of `parents`, and whose tombstones have
    /// sequence numbers up to `last`.
    package func children(
        of parents: some Sequence<ID>, _ link: Link, in space: ID, through last: Int64
    ) -> Command {
        Command(link.ofThese, [.id(space), .int(last), .ids(parents)])
    }

    /// The result of removing tombstones, or of removing the values of deleted records.
    package struct Removal: Sendable {
        package let count: Int
        /// The highest sequence number among the removed or cleared records; 0 if there were none.
        package let last: Int64

        package init(_ rows: Rows) { (count, last) = (Int(rows.int(0, 0)), rows.int(0, 1)) }
    }

    /// Removes at most `limit` tombstones of one entity with sequence numbers up to `last`, except those of the records
    /// in `kept`. Returns a `Removal`.
    ///
    /// - Parameter index: the entity, as an index in `Hub.entities`.
    package func removing(
        _ index: Int, in space: ID, through last: Int64, but kept: some Sequence<ID>, limit: Int
    ) -> Command {
        Command(removals[index], [.id(space), .int(last), .ids(kept), .int(Int64(limit))])
    }

    /// Counts the tombstones of one entity with sequence numbers up to `last`, except those of the records in `kept`.
    ///
    /// - Parameter index: the entity, as an index in `Hub.entities`.
    package func counting(
        _ index: Int, in space: ID, through last: Int64, but kept: some Sequence<ID>
    ) -> Command {
        Command(counts[index], [.id(space), .int(last), .ids(kept)])
    }

    /// Removes the values of at most `limit` deleted records of one entity, but keeps their tombstones. These are
    /// records with sequence numbers after `first` and up to `last`, except those in `kept`. Returns a `Removal`.
    ///
    /// If a record was deleted only because its parent was deleted, it counts from then on as deleted by itself.
    /// Otherwise it could be restored together with its parent, but without its values.
    ///
    /// - Parameters:
    ///   - index: the entity, as an index in `Hub.entities`.
    ///   - deletedBy: the time of deletion for records that were deleted only with their parent, and so have none of
    ///     their own. It is the latest time at which they can have been deleted.
    ///   - blank: the values that replace the removed ones, one for each column. They are never sent to devices.
    package func clearing(
        _ index: Int, in space: ID, after first: Int64, through last: Int64, but kept: some Sequence<ID>, limit: Int,
        deletedBy: Stamp, to blank: [Value]
    ) -> Command {
        let values = zip(blank, tables[index].entity.columns).map { Parameter.value($0, as: SQLType($1.type)) }
        let range: [Parameter] = [.int(Int64(limit)), .int(first), .int(deletedBy.rawValue)]
        return Command(
            clearings[index], [.id(space), .int(last), .ids(kept), .bytes(unsaid(index))] + range + values)
    }

    /// Counts the deleted records of one entity with sequence numbers up to `last` that still have their values, except
    /// the records in `kept`.
    ///
    /// - Parameter index: the entity, as an index in `Hub.entities`.
    package func countingClearable(
        _ index: Int, in space: ID, through last: Int64, but kept: some Sequence<ID>
    ) -> Command {
        Command(clearingCounts[index], [.id(space), .int(last), .ids(kept), .bytes(unsaid(index))])
    }

    /// Returns the stored form of the stamps of a record whose attributes were never written.
    ///
    /// - Parameter index: the record's entity, as an index in `Hub.entities`.
    private func unsaid(_ index: Int) -> [UInt8] {
        let entity = tables[index].entity
        return StampSet(units: entity.units.count).stored(of: entity).packed
    }

    private static func clearing(_ table: RecordTable, condition: String) -> Statement {
        let values = table.entity.columns.enumerated().map { index, column in
            "\(quoted(column.name)) = $\(index + 8)::\(column.type.rawValue)"
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

    /// Composes the statements for one relationship between a parent's and a child's entity.
    ///
    /// - Parameters:
    ///   - child: the index of the child's entity in `Hub.entities`.
    ///   - key: the child's column with the reference to the parent.
    ///   - parent: the index of the parent's entity.
    ///   - named: the parent's column whose value the reference contains.
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
        // Reads the parents first, and then their children through the index on the reference: mostly there are none.
        // For a join, PostgreSQL may read all children in each step.
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
