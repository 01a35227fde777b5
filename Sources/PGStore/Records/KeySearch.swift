import Postgres

/// The part of a statement that finds a space's records by keys, each through the index on the key, whatever
/// PostgreSQL's statistics of the table are. That is necessary because a plan is made when a session first needs it,
/// perhaps while the table is empty, and kept while the table fills.
///
/// If PostgreSQL expects few rows, any index that begins with the space looks as good as another, and then it reads all
/// records of the space. So the search uses a range and an order in place of an equal key: where sessions do not sort
/// (`SessionSettings.plansOnce`), only the key's own index gives this order.
struct KeySearch {
    /// The items for FROM: the keys, and `found` with the selected columns.
    let from: String

    /// The column name of the searched key. No attribute's column can have it, because it contains a space: those names
    /// are words of letters, digits and underscores.
    private static let key = quoted("wanted key")

    /// The name of the column with the location (`ctid`) of a record that is then written; `selectingLocation` selects
    /// it.
    static let location = quoted("found place")
    static let selectingLocation = "ctid AS \(location)"

    /// - Parameters:
    ///   - column: a quoted name; the column follows the space in an index.
    ///   - type: the column's type.
    ///   - keys: an SQL array of distinct keys; a repeated key would find its records twice.
    ///   - columns: the columns that are selected of each record.
    ///   - condition: a further condition on the record.
    init(
        _ table: String, by column: String, type: String = "uuid", of keys: String = "$2", selecting columns: String,
        where condition: String = "true"
    ) {
        from =
            "unnest(\(keys)::\(type)[]) AS wanted (\(KeySearch.key)) CROSS JOIN LATERAL "
            + KeySearch.records(
                of: table, by: column, equal: "wanted.\(KeySearch.key)", selecting: columns, where: condition)
    }

    /// Returns the search for one value, which an earlier item of FROM may supply: a sub-select with the name `found`.
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

    /// The end of a search for the locations (`ctid`) of records that are then written. It makes PostgreSQL expect very
    /// few rows. Otherwise PostgreSQL reads the whole space once, or even once for each record, instead of fetching
    /// each location. If the value of a limit is unknown, PostgreSQL expects a tenth of the rows.
    static let expectingFew = "LIMIT (SELECT 9223372036854775807)"
}
