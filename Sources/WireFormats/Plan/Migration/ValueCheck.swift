/// The constraint by which PostgreSQL refuses, from whatever writes SQL, a value that no device could be sent.
///
/// A backfill that casts a text may well make a NaN or an infinity of it. `docs/protocol.md`, *Values*, has neither,
/// and no year beyond 9999; a device would get the attribute's default in its place.
struct ValueCheck {
    let name: String
    private let condition: String

    /// `nil` where each value of the column's type can be sent, or a constraint could not tell.
    init?(_ column: HubEntity.Column) {
        let place = SQLText.identifier(column.name)
        switch column.type {
        case .double, .numeric: condition = "abs(\(place)) < 'Infinity'"
        case .timestamp: condition = "\(place) >= '0001-01-01Z'\n            AND \(place) < '10000-01-01Z'"
        case .boolean, .bigint, .text, .uuid, .bytes, .json: return nil
        }
        name = SQLText.identifier(SQLText.name(column.name, "_can_be_sent"))
    }

    var declaration: String { "CONSTRAINT \(name)\n        CHECK (\(condition))" }
}
