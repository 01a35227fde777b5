/// The fixed text of one SQL statement. Values travel beside it as `$1`, `$2`, …, never inside.
///
/// A session prepares a statement the first time it runs it and keeps it by this text, so make statements once, of
/// literals or at start, and keep them.
package struct Statement: Sendable, Hashable {
    package let sql: String
    private let fingerprint: Int

    /// A statement written in the source.
    package init(_ sql: StaticString) {
        self.init(unchecked: sql.description)
    }

    /// A statement composed at start from names that the composer has checked. Never of anything that a request
    /// brought.
    package init(unchecked sql: String) {
        self.sql = sql
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
