package import Postgres
package import WireFormats

/// What `RecordTable.selectingLives` says of one record.
package struct RecordLife: Sendable {
    package let id: ID
    package let isAlive: Bool
    /// It is dead because what it belongs to died, and comes back with that; nobody deleted the record itself.
    package let isFallen: Bool

    package static func all(_ rows: Rows) -> [RecordLife] {
        (0..<rows.count).map {
            RecordLife(id: rows.id($0, 0), isAlive: rows.bool($0, 1), isFallen: rows.bool($0, 2))
        }
    }
}

/// A record that refers to another, as `RecordTable.livingReferrers`, `deadReferrers` and `losing` return it.
package struct ReferrerRow: Sendable {
    package let id: ID
    package let target: ID

    package static func all(_ rows: Rows) -> [ReferrerRow] {
        (0..<rows.count).map { ReferrerRow(id: rows.id($0, 0), target: rows.id($0, 1)) }
    }
}

/// What one record refers to, as `RecordTable.selectingReferences` returns it.
package struct ReferencesRow: Sendable {
    package let id: ID
    /// By place in `HubEntity.references`.
    package let targets: [ID?]

    package static func all(_ rows: Rows) -> [ReferencesRow] {
        (0..<rows.count).map { row in
            ReferencesRow(
                id: rows.id(row, 0), targets: (1..<rows.columnCount).map { rows.idIfPresent(row, $0) })
        }
    }
}

extension Rows {
    /// The one number that a command returned that counts or measures.
    package var number: Int { Int(int(0, 0)) }

    /// The first column of each row, where it is an id.
    package var ids: [ID] { (0..<count).map { id($0, 0) } }
}
