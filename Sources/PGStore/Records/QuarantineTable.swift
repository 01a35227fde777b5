package import Postgres
package import WireFormats

/// The statements on `sync.quarantine` for one app: the changes that were stored but not merged. All statements except
/// `listing` see only the space that the transaction has entered.
package struct QuarantineTable: Sendable {
    package let app: String

    package init(app: String) {
        self.app = app
    }

    /// Puts a change into quarantine, unless the same change is there already.
    package func holding(_ change: QuarantinedChange.Content, for reason: QuarantinedChange.Reason, in space: ID)
        -> Command
    {
        Command(
            """
            INSERT INTO sync.quarantine (space_id, app, device, table_name, entity, record, operation, stamp, version,
                fingerprint, change, code, detail, sent, mode, reading)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
            ON CONFLICT DO NOTHING
            """,
            [
                .id(space), .text(app), .id(change.device), .text(change.table), .text(change.entity),
                .id(change.record), .text(change.operation), .int(change.stamp.rawValue),
                .text(change.version), .text(change.fingerprint), .bytes(change.bytes),
                .text(reason.code), .text(reason.detail), .int(change.sent.rawValue), .text(change.mode),
                .text(change.reading),
            ])
    }

    /// The count and the bytes of the changes that a space has in quarantine.
    package struct Extent: Sendable {
        package let count: Int64
        package let bytes: Int64

        /// Parses the result of the command `measuring`.
        package init(_ rows: Rows) { (count, bytes) = (rows.int(0, 0), rows.int(0, 1)) }
    }

    /// Reads the count and the bytes of the space's changes in quarantine, as an `Extent`.
    package func measuring(_ space: ID) -> Command {
        Command(
            """
            SELECT count(*), coalesce(sum(length(change) + coalesce(octet_length(reading), 0)), 0)::bigint
            FROM sync.quarantine WHERE space_id = $1 AND app = $2
            """, [.id(space), .text(app)])
    }

    /// A record whose creation is in quarantine, so that it does not exist yet.
    package struct HeldCreation: Sendable {
        /// The name of the record's table, as in `HubEntity.table`.
        package let table: String
        package let record: ID

        /// Parses the records that the command `heldCreations` returned.
        package static func all(_ rows: Rows) -> [HeldCreation] {
            (0..<rows.count).map { HeldCreation(table: rows.string($0, 0), record: rows.id($0, 1)) }
        }
    }

    /// Finds the records among `records` that do not exist yet, because the changes that create them are in quarantine.
    /// Returns a `HeldCreation` for each.
    package func heldCreations(of records: Set<ID>, in space: ID) -> Command {
        Command(
            """
            SELECT DISTINCT table_name, record FROM sync.quarantine
            WHERE space_id = $1 AND app = $2 AND operation = 'create' AND record = ANY ($3)
            """, [.id(space), .text(app), .ids(records)])
    }

    /// Leaves a change in quarantine after another attempt to merge it failed, and stores the new reason.
    package func keeping(_ id: Int64, for reason: QuarantinedChange.Reason, in space: ID) -> Command {
        Command(
            """
            UPDATE sync.quarantine SET code = $3, detail = $4, tried_at = now(), attempts = attempts + 1
            WHERE space_id = $1 AND id = $2
            """, [.id(space), .int(id), .text(reason.code), .text(reason.detail)])
    }

    package func removing(_ ids: [Int64], in space: ID) -> Command {
        Command("DELETE FROM sync.quarantine WHERE space_id = $1 AND id = ANY ($2)", [.id(space), .ints(ids)])
    }

    /// Reads the space's changes in quarantine; `changes(_:in:)` parses the result.
    package func reading(_ space: ID) -> Command {
        Command(
            """
            SELECT id, device, table_name, entity, record, operation, stamp, version, fingerprint, change, code, detail,
                held_at, tried_at, attempts::bigint, sent, mode, reading
            FROM sync.quarantine WHERE space_id = $1 AND app = $2 ORDER BY id
            """, [.id(space), .text(app)])
    }

    /// Returns the changes in the result of `reading`.
    package func changes(_ rows: Rows, in space: ID) -> [QuarantinedChange] {
        (0..<rows.count).map { row in
            QuarantinedChange(
                id: rows.int(row, 0), app: app, space: space,
                content: QuarantinedChange.Content(
                    device: rows.idIfPresent(row, 1), table: rows.string(row, 2), entity: rows.string(row, 3),
                    record: rows.id(row, 4), operation: rows.string(row, 5),
                    sent: Stamp(stored: rows.int(row, 15)), stamp: Stamp(stored: rows.int(row, 6)),
                    mode: rows.string(row, 16), version: rows.string(row, 7), fingerprint: rows.string(row, 8),
                    bytes: rows.bytes(row, 9), reading: rows.isNull(row, 17) ? nil : rows.string(row, 17)),
                reason: QuarantinedChange.Reason(code: rows.string(row, 10), detail: rows.string(row, 11)),
                heldAt: rows.timestamp(row, 12), triedAt: rows.timestamp(row, 13), attempts: rows.int(row, 14))
        }
    }

    /// Reads `(id, space)` of all changes in quarantine, of all spaces of the app.
    package func listing() -> Command {
        Command("SELECT id, space FROM sync.quarantine_directory WHERE app = $1 ORDER BY id", [.text(app)])
    }
}
