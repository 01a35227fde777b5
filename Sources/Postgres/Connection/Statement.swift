/// The fixed text of one SQL statement. Values are bound to `$1`, `$2`, …, and are never part of the text.
///
/// A session prepares a statement the first time that it runs it, and finds the prepared statement by this text. So
/// create statements once, from literals or at start, and reuse them.
package struct Statement: Sendable, Hashable {
    package let sql: String
    /// The types of the columns of the statement's rows, if these come from tables that a migration may change while
    /// servers run; the session then checks the types of each result. `nil` if the statement's text alone determines
    /// the types.
    let columns: [SQLType]?
    private let fingerprint: Int

    /// Creates a statement from a literal.
    package init(_ sql: StaticString) {
        self.init(unchecked: sql.description)
    }

    /// Creates a statement whose text is composed at start, from names that the caller has checked. The text must never
    /// contain a part of a request.
    ///
    /// - Parameter columns: the expected types of the rows' columns, in order, if tables determine them; otherwise
    ///   `nil`.
    package init(unchecked sql: String, returning columns: [SQLType]? = nil) {
        self.sql = sql
        self.columns = columns
        fingerprint = sql.hashValue
    }

    package static func == (a: Statement, b: Statement) -> Bool {
        a.fingerprint == b.fingerprint && a.sql == b.sql
    }

    /// Hashes a stored hash of the text, because statements are looked up far more often than they are created.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(fingerprint)
    }
}

extension Statement: ExpressibleByStringLiteral {
    package init(stringLiteral sql: StaticString) {
        self.init(sql)
    }
}
