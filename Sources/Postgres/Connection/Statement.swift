/// The fixed text of one SQL statement. Values travel beside it as `$1`, `$2`, …, never inside.
///
/// A session prepares a statement the first time it runs it and keeps it by this text, so make statements once, of
/// literals or at start, and keep them.
package struct Statement: Sendable, Hashable {
    package let sql: String
    /// What its rows have, where they come from tables that a migration may change while we are at work; the session
    /// checks it. `nil` where the statement's text decides it.
    let columns: [SQLType]?
    private let fingerprint: Int

    /// A statement written in the source.
    package init(_ sql: StaticString) {
        self.init(unchecked: sql.description)
    }

    /// A statement composed at start from names that the composer has checked. Never of anything that a request
    /// brought.
    ///
    /// - Parameter columns: the types that its rows are read as, in their order, where those of the tables decide them.
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
