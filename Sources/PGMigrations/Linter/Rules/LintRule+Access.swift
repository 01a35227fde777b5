internal import SQLText

/// Rules about privileges, roles and policies, on which the row-level security between spaces depends.
extension LintRule {
    static let policyChanged = LintRule(
        "policy-changed", "a policy of an existing table is made, altered or dropped: one too many opens all spaces",
        advice: "Leave policies to sync.enroll. `serve` starts only where each table has exactly the one that it makes."
    ) { statement, _, surroundings in
        switch statement.action {
        case .createPolicy(_, let table), .alterPolicy(let table):
            return surroundings.isNew(table) && !surroundings.holdsRecords(table) ? [] : ["\(table)"]
        case .drop(let dropping) where dropping.kind == .policy: return dropping.names.map(\.description)
        default: return []
        }
    }

    static let openedToAll = LintRule(
        "grant-to-public", "everybody who can log in may do it, whatever role requests are served in",
        advice: "Grant to syncserver_serving what serving needs, and to nobody else; sync.enroll does it for records."
    ) { statement, _, _ in
        guard case .grant(let grant) = statement.action, grant.isForEveryone, !grant.isRevoking else { return [] }
        return [statement.headline]
    }

    static let ownerChanged = LintRule(
        "owner-changed", "who owns a table may turn off its row-level security, and later files may not alter it",
        advice: "Leave it with the role that migrates. Another owner is a matter of the administrator's."
    ) { statement, _, _ in
        switch statement.action {
        case .other("ReassignOwnedStmt"): return [statement.headline]
        case .grant(let grant) where grant.kind == .ownership: return [statement.headline]
        case .alterTable(let alteration) where alteration.commands.contains(.other("AT_ChangeOwner")):
            return ["\(alteration.relation)"]
        default: return []
        }
    }

    static let roleChanged = LintRule(
        "role-changed", "roles are the whole server's, and decide who gets past row-level security",
        advice: "Leave roles to the administrator; docs/running.md says which there are."
    ) { statement, _, _ in
        switch statement.action {
        case .changeRole: return [statement.headline]
        case .rename(let renaming) where renaming.kind == .other("OBJECT_ROLE"): return [statement.headline]
        case .grant(let grant) where grant.kind == .membership: return [statement.headline]
        default: return []
        }
    }

    static let triggerDisabled = LintRule(
        "trigger-disabled",
        "what triggers keep true, such as the list of spaces and what older servers write, no longer is",
        advice: "Leave them on. Where a trigger must not see a change, say so in its WHEN or its function."
    ) { statement, _, _ in
        guard case .alterTable(let alteration) = statement.action else { return [] }
        let disables = alteration.commands.contains { command in
            if case .other(let name) = command { disabling.contains(name) } else { false }
        }
        return disables ? ["\(alteration.relation)"] : []
    }

    /// The commands that disable a trigger or a rule: `DISABLE TRIGGER name`, `ALL`, `USER`. A trigger or rule that
    /// runs only on replicas counts as disabled too.
    private static let disabling: Set<String> = [
        "AT_DisableTrig", "AT_DisableTrigAll", "AT_DisableTrigUser", "AT_EnableReplicaTrig", "AT_DisableRule",
        "AT_EnableReplicaRule",
    ]

    static let anotherIdentity = LintRule(
        "session-as-another",
        "the statements that follow are run as another role, or past triggers and row-level"
            + " security",
        advice: "Remove it: files are run as the owner of the tables, with everything that holds for it."
    ) { statement, _, _ in
        guard case .set(let name?, _) = statement.action, identities.contains(name.lowercased()) else { return [] }
        return [statement.headline]
    }

    private static let identities: Set<String> = [
        "role", "session_authorization", "session_replication_role", "row_security",
    ]
}
