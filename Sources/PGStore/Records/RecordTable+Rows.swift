package import Postgres
package import WireFormats

/// The liveness of one record, as `RecordTable.selectingLiveness` returns it.
package struct RecordLiveness: Sendable {
    package let id: ID
    package let isAlive: Bool
    /// True if the record was deleted only by cascade with its parent, not itself. Such a record is restored together
    /// with the parent.
    package let isFallen: Bool

    package static func all(_ rows: Rows) -> [RecordLiveness] {
        (0..<rows.count).map {
            RecordLiveness(id: rows.id($0, 0), isAlive: rows.bool($0, 1), isFallen: rows.bool($0, 2))
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

/// The references of one record, as `RecordTable.selectingReferences` returns them.
package struct ReferencesRow: Sendable {
    package let id: ID
    /// The targets, by index in `HubEntity.references`.
    package let targets: [ID?]

    package static func all(_ rows: Rows) -> [ReferencesRow] {
        (0..<rows.count).map { row in
            ReferencesRow(
                id: rows.id(row, 0), targets: (1..<rows.columnCount).map { rows.idIfPresent(row, $0) })
        }
    }
}

extension Rows {
    /// The number that a command for counting or measuring returned.
    package var number: Int { Int(int(0, 0)) }

    /// The ids in the first column of the rows.
    package var ids: [ID] { (0..<count).map { id($0, 0) } }
}
