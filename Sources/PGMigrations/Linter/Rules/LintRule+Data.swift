internal import PGStore
internal import SQLText

/// Rules about steps that change or check rows.
extension LintRule {
    static let data = [effectNotStated, mixedStep, wholeTable, backfillShape, verifyShape, notIdempotent]

    private static let effectNotStated = LintRule(
        "data-without-effect",
        "records of an app are changed, or all of a table written anew, and the file does not say what devices learn "
            + "of that",
        advice: "Write ‘-- sync: silent’ (nothing) or ‘-- sync: republish(Entity)’ (all of them, anew) in the step or "
            + "at the head of the file."
    ) { (step: MigrationStep, surroundings) in
        if step.effect != nil { return [] }
        let changed = step.statements.flatMap { statement in
            surroundings.changes(by: statement).map(\.table).filter(surroundings.holdsRecords)
                .map { Violation(statement: statement, subject: "\($0)") }
        }
        return changed
            + surroundings.rewritten(in: step).map { Violation(statement: $0.statement, subject: $0.subject) }
    }

    private static let mixedStep = LintRule(
        "mixed-data-and-schema",
        "rows are changed in the transaction that also locks a table to alter it, which so stays locked for longer",
        advice: "Give the statements on rows a step of their own: ‘-- phase: …’ begins one."
    ) { (step: MigrationStep, surroundings) in
        guard step.isTransactional,
            step.statements.contains(where: { statement in
                statement.changesSchema && surroundings.locks(of: statement).contains { $0.mode.blocksWrites }
            })
        else { return [] }
        return step.statements.flatMap { statement in
            surroundings.changes(by: statement).map(\.table).filter { !surroundings.isNew($0) }
                .map { Violation(statement: statement, subject: "\($0)") }
        }
    }

    private static let wholeTable = LintRule(
        "unbounded-change", "rows of all spaces are changed in one transaction, and stay locked to its end",
        advice: "Make it a step of ‘-- phase: backfill’ with ‘-- migrate: batch=1000 table=…’."
    ) { statement, step, surroundings in
        if step.phase == .backfill { return [] }
        return surroundings.changes(by: statement).filter { change in
            if surroundings.isNew(change.table) { return false }
            switch change.verb {
            case .update, .merge: return surroundings.holdsRecords(change.table) || !change.hasWhere
            case .delete: return !change.hasWhere
            case .insert, .copy, .truncate: return false
            }
        }.map { "\($0.table)" }
    }

    private static let backfillShape = LintRule(
        "backfill-shape",
        "a backfill step is one UPDATE of the table that ‘-- migrate: batch=… table=…’ names, FROM batch, with a WHERE "
            + "that joins it by key, not below OR or NOT, and neither WITH nor RETURNING",
        advice: "UPDATE t AS item SET … FROM batch WHERE (item.space_id, item.id) = (batch.space_id, batch.id) AND (…)"
    ) { (step: MigrationStep, _) in
        guard step.phase == .backfill, let first = step.statements.first else { return [] }
        guard step.statements.count == 1, case .changeRows(let change) = first.action else {
            return [Violation(statement: step.statements.dropFirst().first ?? first, subject: first.headline)]
        }
        let isSound =
            change.verb == .update && change.joinsBatch && change.hasWhere && !change.hasWith && !change.hasReturning
            && step.batchTable == change.table
        return isSound ? [] : [Violation(statement: first, subject: "\(change.table)")]
    }

    private static let verifyShape = LintRule(
        "verify-shape", "a verify step only asks: each statement is a query that returns what is wrong",
        advice: "Write SELECT … of the rows that break what is promised; move the rest into another step."
    ) { statement, step, surroundings in
        if case .select = statement.action, surroundings.changes(by: statement).isEmpty { return [] }
        return step.phase == .verify ? [statement.headline] : []
    }

    private static let notIdempotent = LintRule(
        "not-idempotent",
        "outside a transaction a statement may be run again after it was cut off, and this one may then fail or do "
            + "it twice",
        advice: "Write it with IF NOT EXISTS, IF EXISTS or OR REPLACE, or move it into a step with a transaction."
    ) { statement, step, _ in
        step.isTransactional || statement.isIdempotent ? [] : [statement.headline]
    }
}
