import Postgres

/// A search for records of a space by their keys, as a part of a statement. It makes PostgreSQL use the index on the
/// key, whatever the statistics of the table are. PostgreSQL plans the statement when a session first needs it, perhaps
/// while the table is empty, and keeps the plan while the table fills.
///
/// If PostgreSQL expects few rows, all indexes that begin with the space look equally good. With another index, it
/// would read all records of the space. Therefore the search asks for a range of keys in ascending order, and not for
/// equal keys. In sessions that do not sort (`SessionSettings.plansOnce`), only the index on the key gives this order.
struct KeySearch {
    /// The items for a statement's FROM clause: `wanted`, which has the searched keys, and `found`, which has the
    /// selected columns of the records with these keys.
    let from: String

    /// The name of the column with the searched keys. It contains a space, so it differs from the names of all
    /// attributes' columns, which are words of letters, digits and underscores.
    private static let key = quoted("wanted key")

    /// The name of the column with the location (`ctid`) of a found record, for statements that then write the record.
    /// `selectingLocation` selects this column.
    static let location = quoted("found place")
    static let selectingLocation = "ctid AS \(location)"

    /// Composes the search for records whose value in `column` is one of `keys`.
    ///
    /// - Parameters:
    ///   - table: the table to search.
    ///   - column: the quoted name of the column with the key. An index must begin with the space and this column.
    ///   - type: the column's type.
    ///   - keys: an SQL array of distinct keys; a repeated key would find its records twice.
    ///   - columns: the columns of each record to select.
    ///   - condition: a further SQL condition on the records.
    init(
        _ table: String, by column: String, type: String = "uuid", of keys: String = "$2", selecting columns: String,
        where condition: String = "true"
    ) {
        from =
            "unnest(\(keys)::\(type)[]) AS wanted (\(KeySearch.key)) CROSS JOIN LATERAL "
            + KeySearch.records(
                of: table, by: column, equal: "wanted.\(KeySearch.key)", selecting: columns, where: condition)
    }

    /// Returns a sub-select with the name `found` that searches for the records with one key.
    ///
    /// - Parameter value: the key as an SQL expression. It may be a column of an earlier item of the FROM clause.
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

    /// A LIMIT clause that limits nothing, but makes PostgreSQL expect fewer rows. PostgreSQL does not know the limit's
    /// value when it plans, and assumes a tenth of the rows.
    ///
    /// The clause ends a search for the locations (`ctid`) of records that are then written. Without it, PostgreSQL
    /// would not fetch each location, but read the whole space, or even read it once for each record.
    static let expectingFew = "LIMIT (SELECT 9223372036854775807)"
}
