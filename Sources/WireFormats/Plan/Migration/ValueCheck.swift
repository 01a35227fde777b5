/// The CHECK constraint on a column by which PostgreSQL refuses values that cannot be sent to any device, so that SQL
/// cannot write them.
///
/// A backfill that casts a text may produce a NaN, an infinity or a year beyond 9999. `docs/protocol.md`, *Values*,
/// allows none of them. In place of such a value, a device would get the attribute's default.
struct ValueCheck {
    let name: String
    private let condition: String

    /// Makes the constraint for a column. `nil` if every value of the column's type can be sent, or if an SQL
    /// expression cannot tell which values can be sent.
    init?(_ column: HubEntity.Column) {
        let quoted = SQLText.identifier(column.name)
        switch column.type {
        case .double, .numeric: condition = "abs(\(quoted)) < 'Infinity'"
        case .timestamp: condition = "\(quoted) >= '0001-01-01Z'\n            AND \(quoted) < '10000-01-01Z'"
        case .boolean, .bigint, .text, .uuid, .bytes, .json: return nil
        }
        name = SQLText.identifier(SQLText.name(column.name, "_can_be_sent"))
    }

    var declaration: String { "CONSTRAINT \(name)\n        CHECK (\(condition))" }
}
