package import Postgres
package import WireFormats

/// A record's id, and whether the record is alive.
package struct RecordLiveness: Sendable {
    package let id: ID
    package let isAlive: Bool
    /// True if only the deletion of the record's parent deleted the record (a cascade), and nobody deleted the record
    /// itself. Such a record is restored together with its parent.
    package let isFallen: Bool

    package static func all(_ rows: Rows) -> [RecordLiveness] {
        (0..<rows.count).map {
            RecordLiveness(id: rows.id($0, 0), isAlive: rows.bool($0, 1), isFallen: rows.bool($0, 2))
        }
    }
}

/// A record that refers to another one, whose id is `target`.
package struct ReferrerRow: Sendable {
    package let id: ID
    package let target: ID

    package static func all(_ rows: Rows) -> [ReferrerRow] {
        (0..<rows.count).map { ReferrerRow(id: rows.id($0, 0), target: rows.id($0, 1)) }
    }
}

/// A record's id, with the ids of the records to which it refers.
package struct ReferencesRow: Sendable {
    package let id: ID
    /// The ids of the records to which this record refers, in the order of `HubEntity.references`; `nil` for a
    /// reference that is empty.
    package let targets: [ID?]

    package static func all(_ rows: Rows) -> [ReferencesRow] {
        (0..<rows.count).map { row in
            ReferencesRow(
                id: rows.id(row, 0), targets: (1..<rows.columnCount).map { rows.idIfPresent(row, $0) })
        }
    }
}

extension Rows {
    /// The single number that a command for counting or measuring returned.
    package var number: Int { Int(int(0, 0)) }

    /// The ids in the first column of the rows.
    package var ids: [ID] { (0..<count).map { id($0, 0) } }
}
