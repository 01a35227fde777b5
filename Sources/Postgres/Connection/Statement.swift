/// The fixed text of one SQL statement. Values are bound to `$1`, `$2`, …, and are never part of the text.
///
/// A session prepares a statement the first time it runs it, and finds it again by this text. So make statements once,
/// of literals or at start, and keep them.
package struct Statement: Sendable, Hashable {
    package let sql: String
    /// The types of the row's columns, if they come from tables that a migration may change while servers are at work;
    /// the session checks them. `nil` if the statement's text decides the types.
    let columns: [SQLType]?
    private let fingerprint: Int

    /// Creates a statement from a literal.
    package init(_ sql: StaticString) {
        self.init(unchecked: sql.description)
    }

    /// Creates a statement that is composed at start from names that the composer has checked. Never from parts of a
    /// request.
    ///
    /// - Parameter columns: the types that the rows' columns are read as, in their order, if the tables decide them.
    package init(unchecked sql: String, returning columns: [SQLType]? = nil) {
        self.sql = sql
        self.columns = columns
        fingerprint = sql.hashValue
    }

    package static func == (a: Statement, b: Statement) -> Bool {
        a.fingerprint == b.fingerprint && a.sql == b.sql
    }

    /// Hashes the text's hash, made once: statements are looked up far more often than they are made.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(fingerprint)
    }
}

extension Statement: ExpressibleByStringLiteral {
    package init(stringLiteral sql: StaticString) {
        self.init(sql)
    }
}
