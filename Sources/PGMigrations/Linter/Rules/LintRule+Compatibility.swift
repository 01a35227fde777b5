internal import PGStore
internal import SQLText
internal import WireFormats

/// Rules about servers of other releases, which use the same tables during a rollout.
extension LintRule {
    static let compatibility = [dropOutsideContract, mappedDropped, rename, dropCascade, truncate]

    private static let dropOutsideContract = LintRule(
        "drop-outside-contract", "servers of the release before may still use what is dropped",
        advice: "Drop it in a step of ‘-- phase: contract’, which waits until they are gone."
    ) { statement, step, surroundings in
        step.phase == .contract ? [] : surroundings.dropped(by: statement).map(\.subject)
    }

    private static let mappedDropped = LintRule(
        "drop-mapped-column", "a version in the plan of this server still keeps its attribute there",
        advice: "Drop it in the release after the one whose plan has no version that uses it."
    ) { statement, _, surroundings in
        surroundings.dropped(by: statement).filter(\.isMapped).map(\.subject)
    }

    private static let rename = LintRule(
        "rename", "servers that run use the old name, and those that start the new one; never both",
        advice: "Keep the name: storage is named for an identity's first name, and `originalName` renames for clients."
    ) { statement, _, surroundings in
        guard case .rename(let renaming) = statement.action else { return [] }
        let subject = renaming.relation ?? renaming.object
        if let subject, surroundings.isNew(subject) { return [] }
        switch renaming.kind {
        case .index, .constraint, .trigger, .policy, .rule: return []
        // Roles and databases have rules of their own.
        case .other where subject == nil: return []
        default: return [[subject?.description, renaming.part].compactMap(\.self).joined(separator: ".")]
        }
    }

    private static let dropCascade = LintRule(
        "drop-cascade", "CASCADE drops what the file does not name",
        advice: "Name everything that is to go, dependants first, and leave CASCADE out."
    ) { statement, _, _ in
        guard case .drop(let dropping) = statement.action, dropping.cascades else { return [] }
        return dropping.names.map(\.description)
    }

    private static let truncate = LintRule(
        "truncate", "every row of every space goes, and no device is told",
        advice: "Delete what must go in batches; records only as a push would, with tombstones."
    ) { statement, _, surroundings in
        var tables = surroundings.changes(by: statement).filter { $0.verb == .truncate }.map(\.table)
        if case .truncate(let named, _) = statement.action { tables += named }
        return tables.filter { !surroundings.isNew($0) }.map(\.description)
    }
}

extension LintSurroundings {
    fileprivate struct Dropped {
        let subject: String
        /// True if the app's plan uses the dropped object on this server.
        let isMapped: Bool
    }

    /// Returns the objects that the statement drops, that existed before the file, and that servers may use in their
    /// SQL.
    fileprivate func dropped(by statement: SQLStatement) -> [Dropped] {
        if case .drop(let dropping) = statement.action {
            switch dropping.kind {
            case .table, .view, .materializedView, .sequence, .schema, .type, .domain, .function, .trigger:
                return dropping.names.filter { !isNew($0) }.map { name in
                    let isMapped =
                        dropping.kind == .table && entity(of: name) != nil
                        || dropping.kind == .schema && hubs[name.name] != nil
                    return Dropped(subject: "\(name)", isMapped: isMapped)
                }
            default: return []
            }
        }
        return alterations(in: statement).compactMap { table, command in
            guard case .dropColumn(let column, _) = command else { return nil }
            let isMapped = entity(of: table)?.columns.contains { $0.name == column } ?? false
            return Dropped(subject: "\(table).\(column)", isMapped: isMapped)
        }
    }
}
