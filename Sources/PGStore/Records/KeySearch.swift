import Postgres

/// The part of a statement that finds a space's records by their keys. It finds each through the index on the key,
/// whatever PostgreSQL's statistics of the table are. That is necessary because a statement's plan is made when a
/// session first needs it, perhaps while the table is empty, and is kept while the table fills.
///
/// If PostgreSQL expects few rows, all indexes that begin with the space look equally good, and it may choose one
/// through which it reads all records of the space. So the search has a range and an order in place of `=`: in sessions
/// that do not sort (`SessionSettings.plansOnce`), only the index on the key gives this order.
struct KeySearch {
    /// The items for the FROM clause: the keys, and the records found by them, as `found` with the selected columns.
    let from: String

    /// The name of the column with the key that is searched. It contains a space, so no attribute's column has the same
    /// name: those names are words of letters, digits and underscores.
    private static let key = quoted("wanted key")

    /// The name of the column with the location (`ctid`) of a found record, for statements that then write the record.
    /// `selectingLocation` selects this column.
    static let location = quoted("found place")
    static let selectingLocation = "ctid AS \(location)"

    /// - Parameters:
    ///   - table: the table to search.
    ///   - column: the quoted name of the column with the key. An index must begin with the space and this column.
    ///   - type: the column's type.
    ///   - keys: an SQL array of distinct keys; a repeated key would find its records twice.
    ///   - columns: the columns of each record to select.
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

    /// Returns SQL that searches for one value: a sub-select with the name `found`. An earlier item of the FROM clause
    /// may supply the value.
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

    /// A LIMIT clause that limits nothing, but makes PostgreSQL expect very few rows. It ends a search for the
    /// locations (`ctid`) of records that are then written. Without it PostgreSQL reads the whole space once, or even
    /// once for each record, instead of fetching each location. PostgreSQL does not know the value of this limit when
    /// it plans, and then expects a tenth of the rows.
    static let expectingFew = "LIMIT (SELECT 9223372036854775807)"
}
