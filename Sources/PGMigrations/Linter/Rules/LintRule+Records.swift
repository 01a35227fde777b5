internal import PGStore
internal import SQLText
internal import WireFormats

/// Rules about records, of which devices keep copies.
extension LintRule {
    static let records = [recordsDeleted, ownColumns, republished, notLogged, functionOnRecords]

    private static let recordsDeleted = LintRule(
        "records-deleted",
        "records go without tombstones: devices keep them, and are not told, and a later edit makes one again of which"
            + " the rest is lost",
        advice:
            "Leave them. A record ends by a push or an import that deletes it, and ‘syncserver gc’ removes the rest."
    ) { statement, _, surroundings in
        surroundings.changes(by: statement)
            .filter { $0.deletesRows && surroundings.holdsRecords($0.table) && !surroundings.isNew($0.table) }
            .map { "\($0.table)" }
    }

    private static let ownColumns = LintRule(
        "own-columns", "columns that the server keeps for each record, such as seq, alive and stamps, are set by hand",
        advice: "Set columns of attributes; ‘-- sync: republish(Entity)’ gives records their next numbers."
    ) { statement, _, surroundings in
        surroundings.changes(by: statement).filter { surroundings.holdsRecords($0.table) }.flatMap { change in
            change.updatedColumns.filter(Hub.ownColumns.contains).map { "\(change.table).\($0)" }
        }
    }

    private static let republished = LintRule(
        "republish-entity", "what is to be sent again is no entity of the app, or another than the step changes",
        advice: "Name the entities of the tables that the step changes, as a version of the plan has them."
    ) { (step: MigrationStep, surroundings) in
        guard case .republish(let entities) = step.effect, let names = surroundings.entityNames,
            let first = step.statements.first
        else { return [] }
        let tables = entities.compactMap { names[$0] }
        let unknown = entities.filter { names[$0] == nil }.map { Violation(statement: first, subject: $0) }
        return unknown
            + step.statements.flatMap { statement in
                surroundings.changes(by: statement).map(\.table)
                    .filter { names.values.contains($0) && !tables.contains($0) }
                    .map { Violation(statement: statement, subject: "\($0)") }
            }
    }

    private static let notLogged = LintRule(
        "unlogged", "after a crash it is empty, and a replica or a standby never has its rows",
        advice: "Make it an ordinary table, or a temporary one."
    ) { statement, _, _ in
        if case .alterTable(let alteration) = statement.action, alteration.commands.contains(.other("AT_SetUnLogged")) {
            return ["\(alteration.relation)"]
        }
        return statement.makesUnlogged ? [statement.relations.first?.description ?? statement.headline] : []
    }

    private static let functionOnRecords = LintRule(
        "function-changes-records", "a function changes records whenever it is called, and no device is told of it",
        advice: "Let a trigger set columns of NEW alone, and change other rows in a step of ‘-- phase: backfill’.",
        severity: .warning
    ) { statement, _, surroundings in
        guard case .createFunction = statement.action else { return [] }
        return (statement.body?.changes ?? []).map(\.table).filter(surroundings.holdsRecords).map(\.description)
    }
}
