import PGMigrations
import PGStore
import Postgres

/// The text of a new migration file, to be completed by its author. It has no statement, so a run of migrations cannot
/// mistake it for a finished one.
struct MigrationSkeleton {
    let line: String
    let number: Int
    let name: String
    let phases: [MigrationStep.Phase]

    var fileName: String { String(repeating: "0", count: max(0, 4 - "\(number)".count)) + "\(number)-\(name).sql" }

    var text: String {
        (["-- What changes, and for whom: one sentence.\n"] + phases.map(text)).joined(separator: "\n")
    }

    private func text(_ phase: MigrationStep.Phase) -> String {
        "-- phase: \(phase)\n" + advice(phase).map { "-- \($0)\n" }.joined()
    }

    private func advice(_ phase: MigrationStep.Phase) -> [String] {
        switch phase {
        case .expand:
            [
                "Add what the new release needs and the one before does not notice: columns without NOT NULL, tables,",
                "triggers that fill new columns of rows that older servers write. For example:",
                "    ALTER TABLE \(line).t ADD COLUMN c text;",
                "An index of a table that is in use wants a step of its own, ‘-- phase: expand’ once more, with",
                "‘-- migrate: transaction=none’ and CREATE INDEX CONCURRENTLY IF NOT EXISTS.",
            ]
        case .backfill:
            [
                "Fill it for the rows that are there, so many at a time, beside traffic. Say on lines of their own:",
                "‘-- migrate: table=\(line).t batch=1000’, and",
                "‘-- sync: silent’ if no device is to be told, or ‘-- sync: republish(Entity)’ if every device is to",
                "be sent the records again;",
                "and one statement:",
                "    UPDATE \(line).t AS item SET c = … FROM batch",
                "    WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND item.c IS NULL;",
            ]
        case .verify:
            [
                "Ask for the rows that break what the steps before have promised; there must be none:",
                "    SELECT id FROM \(line).t WHERE c IS NULL;",
            ]
        case .contract:
            [
                "Take away what only servers, or versions, of before need: run by ‘migrate up --contract’. Where old",
                "versions of the app need it, say what must hold, ‘requires: …’, on a line of its own;",
                "docs/migrations.md has the forms under ‘Census’. For example:",
                "    DROP TRIGGER fill_c ON \(line).t;",
            ]
        }
    }
}
