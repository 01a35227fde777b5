import Postgres

/// The part of a statement that finds a space's records by keys, each through the index that has the key, whatever
/// PostgreSQL believes of the table: a plan is made when a session first needs it, perhaps of an empty table, and kept
/// while that fills.
///
/// Of few rows PostgreSQL expects any index that begins with the space to do as well as another, and then reads all
/// that the space has. A range and an order say what an equal key does, and where sessions do not sort
/// (`SessionSettings.plansOnce`), only the key's own index gives that order.
struct KeySearch {
    /// For FROM: the keys, and `found` with what is selected.
    let from: String

    /// No attribute's column: those are words of letters, digits and underscores.
    private static let key = quoted("wanted key")

    /// What the place of a record is called that is then written, and how it is selected.
    static let place = quoted("found place")
    static let selectingPlace = "ctid AS \(place)"

    /// - Parameters:
    ///   - column: quoted; with the space it begins an index.
    ///   - type: the column's.
    ///   - keys: an SQL array of the keys, no two of them equal, or records would be found twice.
    ///   - columns: what is selected of each record.
    ///   - condition: what else must be true of it.
    init(
        _ table: String, by column: String, type: String = "uuid", of keys: String = "$2", selecting columns: String,
        where condition: String = "true"
    ) {
        from =
            "unnest(\(keys)::\(type)[]) AS wanted (\(KeySearch.key)) CROSS JOIN LATERAL "
            + KeySearch.records(
                of: table, by: column, equal: "wanted.\(KeySearch.key)", selecting: columns, where: condition)
    }

    /// The same for one value, which an item of FROM before it may give: a sub-select that is called `found`.
    static func records(
        of table: String, by column: String, equal value: String, selecting columns: String,
        where condition: String = "true"
    ) -> String {
        """
        (
            SELECT \(columns) FROM \(table)
            WHERE space_id = \(RecordTable.space) AND \(column) >= \(value) AND \(column) <= \(value)
                AND \(condition)
            ORDER BY \(column) \(column == "id" ? "LIMIT 1" : expectingFew)
        ) AS found
        """
    }

    /// Behind a search for the places (`ctid`) of records that are then written: PostgreSQL should expect very few, or
    /// it reads the whole space once instead of going to each place, or even once for each. Of a limit that it cannot
    /// know it expects a tenth.
    static let expectingFew = "LIMIT (SELECT 9223372036854775807)"
}
