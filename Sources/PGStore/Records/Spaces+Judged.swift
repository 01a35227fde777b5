package import Postgres
package import WireFormats

/// The statements on the table `sync.judged`, which has the results of devices' changes: merged, or refused with a
/// reason. If a device sends such a change again, it gets the stored result, because merging the change again could
/// give another one.
extension Spaces {
    /// A change that a device sent, with the result that the server stored for it.
    package struct Judged: Hashable, Sendable {
        /// The name of the record's table.
        package let entity: String
        package let record: ID
        /// The stamp of the change as the device sent it.
        package let stamp: Stamp
        /// The reason why the change was refused, as JSON; `nil` if the change was merged.
        package let refusal: String?

        package init(entity: String, record: ID, stamp: Stamp, refusal: String?) {
            self.entity = entity
            self.record = record
            self.stamp = stamp
            self.refusal = refusal
        }

        /// Parses one of the changes that the command `recallingJudged` returned, with its stored result.
        package init(_ rows: Rows, _ row: Int) {
            entity = rows.string(row, 0)
            record = rows.id(row, 1)
            stamp = Stamp(stored: rows.int(row, 2))
            refusal = rows.isNull(row, 3) ? nil : rows.string(row, 3)
        }
    }

    /// The largest number of results of changes that are stored for a space. They take one to three megabytes, and are
    /// enough to answer two pushes of the largest size again.
    package static let judgedMax = 10_000

    /// Reads the stored results of the changes that a device sent for the given records.
    package func recallingJudged(of records: Set<ID>, device: ID, in space: ID) -> Command {
        Command(
            Spaces.recallingJudged, [.id(space), .text(app), .id(device), .ids(records)])
    }

    private static let recallingJudged: Statement = """
        SELECT found.* FROM unnest($4) AS wanted (record) CROSS JOIN LATERAL (
            SELECT entity, id, stamp, refusal FROM sync.judged
            WHERE space_id = $1 AND app = $2 AND device = $3 AND id >= wanted.record AND id <= wanted.record
            ORDER BY id
        ) AS found
        """

    /// Stores the results of a device's changes. If the space would have more than `judgedMax` results, its oldest are
    /// deleted first. The transaction must have locked the space.
    ///
    /// - Parameter time: the current time by the server's clock, which is stored with the results.
    package func remembering(judged: [Judged], of device: ID, at time: Stamp, in space: ID) -> [Command] {
        var refusals = ArrayParameter(.text, capacity: judged.count)
        for one in judged {
            if let refusal = one.refusal { refusals.append(text: refusal) } else { refusals.appendNull() }
        }
        let room = Int64(max(0, Spaces.judgedMax - judged.count))
        return Command.withoutNestedLoops([
            Command(Spaces.forgettingJudged, [.id(space), .text(app), .int(room)]),
            Command(
                Spaces.rememberingJudged,
                [
                    .id(space), .text(app), .id(device), .int(time.rawValue), .texts(judged.map(\.entity)),
                    .ids(judged.map(\.record)), .ints(judged.map(\.stamp.rawValue)), refusals.finished(),
                ]),
            Command(Spaces.notingJudged, [.id(space), .text(app)]),
        ])
    }

    // LIMIT 0 reads nothing (`recompute_limits` in nodeLimit.c), so mostly only the count is read.
    private static let forgettingJudged: Statement = """
        WITH hit AS (
            SELECT device, id, stamp, entity FROM sync.judged WHERE space_id = $1 AND app = $2
            ORDER BY at
            LIMIT (SELECT greatest(count(*) - $3, 0) FROM sync.judged WHERE space_id = $1 AND app = $2)
        )
        DELETE FROM sync.judged AS j USING hit
        WHERE j.space_id = $1 AND j.app = $2 AND j.device = hit.device AND j.id = hit.id AND j.stamp = hit.stamp
            AND j.entity = hit.entity
        """

    private static let rememberingJudged: Statement = """
        INSERT INTO sync.judged (space_id, app, device, at, entity, id, stamp, refusal)
        SELECT $1, $2, $3, $4, u.entity, u.id, u.stamp, u.refusal
        FROM unnest($5::text[], $6::uuid[], $7::bigint[], $8::text[]) AS u (entity, id, stamp, refusal)
        ON CONFLICT DO NOTHING
        """

    /// Deletes the stored results of the given changes of a device.
    package func forgetting(judged: [Judged], of device: ID, in space: ID) -> Command {
        Command(
            Spaces.forgettingOnes,
            [
                .id(space), .text(app), .id(device), .texts(judged.map(\.entity)), .ids(judged.map(\.record)),
                .ints(judged.map(\.stamp.rawValue)),
            ])
    }

    private static let forgettingOnes: Statement = """
        DELETE FROM sync.judged AS j USING unnest($4::text[], $5::uuid[], $6::bigint[]) AS u (entity, id, stamp)
        WHERE j.space_id = $1 AND j.app = $2 AND j.device = $3 AND j.id = u.id AND j.stamp = u.stamp
            AND j.entity = u.entity
        """

    private static let notingJudged: Statement = """
        UPDATE sync.space SET judged = true WHERE space_id = $1 AND app = $2 AND NOT judged
        """

    /// Deletes at most `limit` results of changes that were stored before `time`, and returns the number of deleted
    /// rows. Runs in a transaction.
    package func forgettingJudged(_ space: ID, before time: Stamp, limit: Int) -> Command {
        Command(
            """
            WITH hit AS (
                SELECT device, id, stamp, entity FROM sync.judged
                WHERE space_id = $1 AND app = $2 AND at < $3 LIMIT $4
            ), gone AS (
                DELETE FROM sync.judged AS j USING hit
                WHERE j.space_id = $1 AND j.app = $2 AND j.device = hit.device AND j.id = hit.id
                    AND j.stamp = hit.stamp AND j.entity = hit.entity
                RETURNING 1
            )
            SELECT count(*) FROM gone
            """, [.id(space), .text(app), .int(time.rawValue), .int(Int64(limit))])
    }

    /// Counts the results of changes that were stored before `time`.
    package func countingJudged(_ space: ID, before time: Stamp) -> Command {
        Command(
            "SELECT count(*) FROM sync.judged WHERE space_id = $1 AND app = $2 AND at < $3",
            [.id(space), .text(app), .int(time.rawValue)])
    }
}
