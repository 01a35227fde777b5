package import WireFormats

/// The statements that find and remove old tombstones of one space, composed once at start.
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
    /// By place in `Hub.entities`.
    private let counts: [Statement]
    private let removals: [Statement]

    package init(_ hub: Hub, tables: [RecordTable]) {
        let links = Tombstones.links(of: hub, tables)
        self.links = links
        let old = "p.space_id = $1 AND NOT p.alive AND p.seq <= $2 AND p.id <> ALL ($3)"
        counts = tables.map { Statement(unchecked: "SELECT count(*) FROM \($0.name) AS p WHERE \(old)") }
        removals = tables.indices.map { place in
            let conditions = [old] + links.filter { $0.parent == place }.map(\.isChildless)
            return Statement(
                unchecked: """
                    WITH hit AS (
                        SELECT p.id FROM \(tables[place].name) AS p
                        WHERE \(conditions.joined(separator: "\n        AND "))
                        ORDER BY p.seq LIMIT $4
                    ), gone AS (
                        DELETE FROM \(tables[place].name) AS r USING hit
                        WHERE r.space_id = $1 AND r.id = hit.id
                        RETURNING r.seq
                    )
                    SELECT count(*), coalesce(max(seq), 0) FROM gone
                    """)
        }
    }

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

    /// Removes at most `limit` tombstones of the entity at `place` with numbers up to `last`, but those of `kept`.
    /// Returns `(how many, the highest number)`.
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

    private static func links(of hub: Hub, _ tables: [RecordTable]) -> [Link] {
        hub.entities.flatMap { entity in
            entity.references.flatMap { reference in
                let column = quoted(entity.columns[reference.column].name)
                var links: [Link] = []
                if reference.diesWithTarget {
                    links.append(link(entity.index, with: reference.target, by: "c.\(column) = p.id", tables))
                }
                if reference.takesTargetAlong {
                    links.append(link(reference.target, with: entity.index, by: "c.id = p.\(column)", tables))
                }
                return links
            }
        }
    }

    private static func link(
        _ child: Int, with parent: Int, by join: String, _ tables: [RecordTable]
    ) -> Link {
        let fallen = "c.space_id = $1 AND NOT c.alive AND (c.died <= c.born OR c.died = 0)"
        let from = """
            SELECT DISTINCT c.id FROM \(tables[child].name) AS c, \(tables[parent].name) AS p
            WHERE \(fallen) AND c.seq <= $2 AND p.space_id = $1 AND \(join)
            """
        // A record that refers to itself does not keep itself.
        let others = child == parent ? " AND c.id <> p.id" : ""
        return Link(
            child: child, parent: parent,
            ofYoung: Statement(unchecked: "\(from) AND NOT p.alive AND p.seq > $2"),
            ofThese: Statement(unchecked: "\(from) AND p.id = ANY ($3)"),
            isChildless: "NOT EXISTS (SELECT FROM \(tables[child].name) AS c WHERE \(fallen) AND \(join)\(others))")
    }
}
