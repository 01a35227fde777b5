import PGStore
import Postgres
import SQLText

extension RecordGuard {
    /// The way in which changed records get new sequence numbers, which make the server send them to devices again.
    enum Numbering {
        /// The changed rows get their numbers at the end of the transaction.
        case atEnd
        /// The batch runner has already given the changed rows of this table their new sequence numbers. No other rows
        /// got new ones. `updates` is the number of row updates in the table, including those that set the numbers.
        /// `spaces` is the number of spaces whose last sequence number has grown.
        case done(SQLName, updates: Int64, spaces: Int64)
    }

    /// The maximum number of numbering rounds. Giving records their numbers may fire triggers that change further
    /// records, which then need numbers in another round.
    private static let passesMax = 3

    /// Gives the changed records new sequence numbers. If triggers change further records because of that, these get
    /// new sequence numbers in another round.
    func number(
        _ changed: [Changed], since before: Counts, counted: Counts, _ session: isolated Session
    ) throws {
        var (changed, last, grown) = (changed, counted, Int64(0))
        for _ in 0..<RecordGuard.passesMax {
            if changed.isEmpty { return }
            var numbered: [Int64: Int64] = [:]
            for change in changed {
                let (records, spaces) = try number(change.table, all: change.isOfAll, session)
                numbered[change.table.id] = records
                grown += spaces
            }
            let now = try count(session)
            if now.spaces - counted.spaces != grown { throw unwritten("sync.space") }
            changed = []
            for (id, table) in now.tables.sorted(by: { $0.key < $1.key }) {
                let old = last.tables[id]
                let isAsAsked =
                    table.inserted == old?.inserted ?? 0 && table.deleted == old?.deleted ?? 0
                    && table.file == old?.file
                    && table.updated - (old?.updated ?? 0) == numbered[id] ?? 0
                guard !isAsAsked, let change = try change(of: table, since: before.tables[id]) else { continue }
                changed.append(change)
            }
            last = now
        }
        guard let table = changed.first?.table.name else { return }
        throw fault(
            "giving records their numbers makes triggers change records of \(table) again and again. Drop the trigger "
                + "in a step before this one, and make it again in one behind it")
    }

    /// Counts the rows of `sync.space` that the session has updated or deleted, by PostgreSQL's counters.
    func countSpaces(_ session: isolated Session) throws(PGError) -> Int64 {
        try session.execute(
            """
            SELECT coalesce(
                pg_stat_get_xact_tuples_updated(to_regclass('sync.space'))
                    + pg_stat_get_xact_tuples_deleted(to_regclass('sync.space')), 0)
            """
        ).int(0, 0)
    }

    /// Throws an error if an app's step changes rows of `sync.space`, which hold the last sequence number of each
    /// space. Only the batch runner may change them, to give changed records new sequence numbers.
    func checkSpaces(_ after: Counts, since before: Counts, _ numbering: Numbering) throws {
        guard file.id.line != MigrationLine.serverLineName else { return }
        var expected: Int64 = 0
        if case .done(_, _, let spaces) = numbering { expected = spaces }
        guard after.spaces - before.spaces != expected else { return }
        if expected > 0 { throw unwritten("sync.space") }
        throw fault("it changed rows of sync.space, which hold the last number of each space. Leave them to the server")
    }

    /// Returns the error for sequence numbers that were not stored as requested, because a trigger, a rule or a policy
    /// of `table` prevented it.
    func unwritten(_ table: String) -> MigrationError {
        fault(
            "PostgreSQL did not write the numbers of records that are to be sent again: a trigger, a rule or a policy "
                + "of \(table) changes them or stands in the way. Take it away in a step before this one")
    }

    /// Gives the records of the table the next sequence numbers of their spaces, in the order of their keys. Deleted
    /// records get none.
    ///
    /// If `isOfAll` is false, only the records that this transaction has written are numbered. They are recognized by
    /// their `xmin`, which is the number of this transaction or of one of its subtransactions. A later transaction's
    /// number would be accepted too. But no other session can have written records, because this session has locked
    /// their spaces.
    ///
    /// - Returns: the number of records, and the number of their spaces.
    private func number(
        _ table: Table, all isOfAll: Bool, _ session: isolated Session
    ) throws -> (records: Int64, spaces: Int64) {
        try requireSight(of: table, session)
        let isChanged = isOfAll ? "true" : "age(xmin) <= age(pg_current_xact_id()::xid)"
        let renumbering = """
            WITH changed AS MATERIALIZED (
                SELECT space_id, id, row_number() OVER (PARTITION BY space_id ORDER BY id) AS place
                FROM \(table.quoted) WHERE alive AND \(isChanged)
            ), known AS (
                SELECT count(*) FROM changed JOIN sync.space AS space
                    ON space.space_id = changed.space_id AND space.app = $1
            ), numbered AS (
                UPDATE \(table.quoted) AS record
                SET seq = space.head + changed.place, device = NULL, seen = NULL, since = NULL
                FROM changed JOIN sync.space AS space ON space.space_id = changed.space_id AND space.app = $1
                WHERE record.space_id = changed.space_id AND record.id = changed.id
                RETURNING record.space_id, record.seq, record.seq = space.head + changed.place AS is_right
            ), wanted AS (
                SELECT space_id, max(seq) AS head FROM numbered WHERE is_right GROUP BY space_id
            ), grown AS (
                UPDATE sync.space AS space SET head = wanted.head, \(Spaces.enteringEra)
                FROM wanted, sync.server AS server
                WHERE space.space_id = wanted.space_id AND space.app = $1
                RETURNING space.head = wanted.head AS is_right
            )
            SELECT (SELECT count(*) FROM changed), (SELECT count FROM known),
                (SELECT count(*) FROM numbered WHERE is_right), (SELECT count(*) FROM wanted),
                (SELECT count(*) FROM grown WHERE is_right)
            """
        let rows = try session.execute(
            Command(Statement(unchecked: renumbering), [.text(table.name.schema ?? "")]))
        guard rows.int(0, 0) == rows.int(0, 1) else {
            throw fault(
                "\(table.name) has rows of spaces that sync.space has no number for. Remove them, or give each space a "
                    + "row there")
        }
        if rows.int(0, 1) != rows.int(0, 2) { throw unwritten("\(table.name)") }
        if rows.int(0, 3) != rows.int(0, 4) { throw unwritten("sync.space") }
        return (rows.int(0, 2), rows.int(0, 3))
    }

    /// Throws an error if row-level security may hide rows of the table from the migration. Hidden rows would get no
    /// new sequence number.
    func requireSight(of table: Table, _ session: isolated Session) throws {
        let rows = try session.execute(
            Command(
                """
                SELECT row_security_active($1::oid) AND EXISTS (
                    SELECT FROM pg_policy
                    WHERE polrelid = $1::oid AND NOT polpermissive AND EXISTS (
                        SELECT FROM unnest(polroles) AS role
                        WHERE CASE role WHEN 0 THEN true ELSE pg_has_role(role, 'USAGE') END))
                """, [.int(table.id)]))
        if rows.bool(0, 0) { throw unwritten("\(table.name)") }
    }
}
