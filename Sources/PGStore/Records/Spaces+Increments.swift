package import Postgres
package import WireFormats

/// The statements on `sync.increment`, which has the applied increments of counters, so that none is counted twice.
extension Spaces {
    /// One increment of a counter that was applied.
    package struct Increment: Hashable, Sendable {
        /// The name of the record's table. The column `attribute` of this table is the incremented counter.
        package let entity: String
        package let attribute: String
        package let record: ID
        package let device: ID
        /// The stamp that the device sent with the increment.
        package let stamp: Stamp

        package init(entity: String, attribute: String, record: ID, device: ID, stamp: Stamp) {
            self.entity = entity
            self.attribute = attribute
            self.record = record
            self.device = device
            self.stamp = stamp
        }

        /// Parses one of the increments that the command `recallingIncrements` returned.
        package init(_ rows: Rows, _ row: Int) {
            entity = rows.string(row, 0)
            attribute = rows.string(row, 1)
            record = rows.id(row, 2)
            device = rows.id(row, 3)
            stamp = Stamp(stored: rows.int(row, 4))
        }
    }

    /// Finds the applied counter increments of the given records that came from one of `devices`, with a stamp from
    /// `first` through `last`.
    package func recallingIncrements(
        of records: Set<ID>, from first: Stamp, through last: Stamp, by devices: [ID], in space: ID
    ) -> Command {
        Command(
            """
            SELECT found.* FROM unnest($3) AS wanted (record) CROSS JOIN LATERAL (
                SELECT entity, attribute, id, device, stamp FROM sync.increment
                WHERE space_id = $1 AND app = $2 AND id >= wanted.record AND id <= wanted.record
                    AND device = ANY ($4) AND stamp BETWEEN $5 AND $6
                ORDER BY id
            ) AS found
            """,
            [
                .id(space), .text(app), .ids(records), .ids(devices), .int(first.rawValue), .int(last.rawValue),
            ])
    }

    /// Stores increments of counters that are being applied, so that they are recognised if they are sent again.
    ///
    /// - Parameter time: the current time by the server's clock.
    package func remembering(_ increments: [Increment], at time: Stamp, in space: ID) -> Command {
        Command(
            """
            INSERT INTO sync.increment (space_id, app, applied, entity, attribute, id, device, stamp)
            SELECT $1, $2, $3, entity, attribute, id, device, stamp
            FROM unnest($4::text[], $5::text[], $6::uuid[], $7::uuid[], $8::bigint[])
                AS wanted (entity, attribute, id, device, stamp)
            """,
            [
                .id(space), .text(app), .int(time.rawValue), .texts(increments.map(\.entity)),
                .texts(increments.map(\.attribute)), .ids(increments.map(\.record)), .ids(increments.map(\.device)),
                .ints(increments.map(\.stamp.rawValue)),
            ])
    }

    /// Counts the increments that were applied before `time`.
    package func countingIncrements(_ space: ID, before time: Stamp) -> Command {
        Command(
            "SELECT count(*) FROM sync.increment WHERE space_id = $1 AND app = $2 AND applied < $3",
            [.id(space), .text(app), .int(time.rawValue)])
    }
}
