import WireFormats

/// The table of applied migrations, `sync.migration`. The runner makes it; no migration file may touch it.
enum Ledger {
    /// Only under the runner's lock: `CREATE … IF NOT EXISTS` of two sessions can still collide.
    static let create = """
        CREATE SCHEMA IF NOT EXISTS sync;
        CREATE TABLE IF NOT EXISTS sync.migration (
            line        text        NOT NULL,
            number      integer     NOT NULL,
            name        text        NOT NULL,
            checksum    text        NOT NULL,
            applied_at  timestamptz NOT NULL DEFAULT now(),
            duration_ms bigint      NOT NULL,
            PRIMARY KEY (line, number)
        );
        """

    /// Every applied migration; none if the table is not there yet.
    static func read(_ session: isolated Session) throws(PGError) -> [LedgerRow] {
        let table = try session.execute(Command("SELECT to_regclass('sync.migration') IS NOT NULL"))
        guard table.bool(0, 0) else { return [] }
        let rows = try session.execute(
            Command("SELECT line, number, name, checksum, applied_at FROM sync.migration ORDER BY line, number"))
        return (0..<rows.count).map { row in
            LedgerRow(
                id: MigrationID(line: rows.string(row, 0), number: Int(rows.int(row, 1))), name: rows.string(row, 2),
                checksum: rows.string(row, 3), appliedAt: rows.timestamp(row, 4))
        }
    }

    static func record(_ file: MigrationFile, took duration: Duration) -> Command {
        Command(
            """
            INSERT INTO sync.migration (line, number, name, checksum, duration_ms)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .text(file.id.line), .int(Int64(file.id.number)), .text(file.name), .text(file.checksum),
                .int(duration.wholeMilliseconds),
            ])
    }
}
