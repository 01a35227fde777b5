internal import PGStore
internal import SQLText
internal import WireFormats

/// Rules about effects that the text of a file does not show, and about things outside the app's tables that a
/// migration must not change, such as the server's settings.
extension LintRule {
    static let unseen = [
        copying, rewriteRule, droppedOwned, serverChanged, liftedLimit, requirement, reachingFunction, unseenFunction,
        uncheckedStatement,
    ]

    private static let copying = LintRule(
        "copy",
        "COPY reads from the client or writes to it, and the runner does neither; or it reads the server's disk",
        advice: "Write the rows with INSERT, a thousand at a time."
    ) { statement, _, _ in
        statement.kind == "CopyStmt" ? [statement.headline] : []
    }

    private static let rewriteRule = LintRule(
        "rewrite-rule", "a rule makes another statement of what servers and files write, and nothing shows it",
        advice: "Use a trigger."
    ) { statement, _, _ in
        guard case .createRule(let table, _) = statement.action else { return [] }
        return ["\(table)"]
    }

    private static let droppedOwned = LintRule(
        "drop-owned", "everything that the role has in the database goes, whatever it is",
        advice: "Name what is to go; roles are the administrator's matter."
    ) { statement, _, _ in
        statement.kind == "DropOwnedStmt" ? [statement.headline] : []
    }

    private static let serverChanged = LintRule(
        "server-changed", "it changes the whole database or server, and what runs in other databases of it",
        advice: "Leave it to the administrator; docs/running.md and docs/operations.md say what is needed."
    ) { statement, _, _ in
        if case .rename(let renaming) = statement.action, renaming.kind == .other("OBJECT_DATABASE") {
            return [statement.headline]
        }
        return ofServer.contains(statement.kind) ? [statement.headline] : []
    }

    private static let ofServer: Set<String> = [
        "AlterSystemStmt", "CreatedbStmt", "DropdbStmt", "AlterDatabaseStmt", "AlterDatabaseSetStmt",
        "AlterDatabaseRefreshCollStmt", "CreateTableSpaceStmt", "DropTableSpaceStmt", "AlterTableSpaceOptionsStmt",
        "CreateSubscriptionStmt", "AlterSubscriptionStmt", "DropSubscriptionStmt", "CreatePublicationStmt",
        "AlterPublicationStmt", "CreateEventTrigStmt", "AlterEventTrigStmt", "CreateFdwStmt", "CreateForeignServerStmt",
        "CreateForeignTableStmt", "ImportForeignSchemaStmt", "CreateUserMappingStmt", "CreatePLangStmt", "LoadStmt",
    ]

    private static let liftedLimit = LintRule(
        "limit-changed", "the runner's own limits are what keeps others from waiting for long",
        advice: "Remove it. What takes long is a backfill, or a step with ‘-- migrate: transaction=none’."
    ) { statement, _, _ in
        statement.settings.filter(limits.contains)
    }

    private static let limits: Set<String> = [
        "lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout", "transaction_timeout",
        "deadlock_timeout",
    ]

    private static let requirement = LintRule(
        "requirement-unknown",
        "nobody can tell whether what the contract requires holds, or it never does, so it waits for ever",
        advice: "Write ‘census(<2.0.0)=0 for 30d’ or ‘retired(<2.0.0)’, with a version of the plan and a time of at "
            + "most 365d."
    ) { (step: MigrationStep, surroundings) in
        guard let first = step.statements.first else { return [] }
        return step.requirements.filter { !holds($0, surroundings.versions) }.map {
            Violation(statement: first, subject: $0)
        }
    }

    /// Returns true if a contract step's condition is well formed and can ever be met.
    ///
    /// - Parameter versions: the schema versions of the app. The condition must name one of them. If the app's plan is
    ///   not known, this is `nil`, and any version is accepted.
    private static func holds(_ requirement: String, _ versions: Set<Schema.Version>?) -> Bool {
        let census = /\s*census\s*\(\s*<\s*([^\s)]+)\s*\)\s*=\s*0\s+for\s+([0-9]+)([dhms])\s*/
        let floor: Substring
        if let match = requirement.wholeMatch(of: census) {
            let unit: Int64 = ["d": 86_400, "h": 3_600, "m": 60][match.3] ?? 1
            guard let count = Int64(match.2), count > 0, count <= 365 * 86_400 / unit else { return false }
            floor = match.1
        } else if let match = requirement.wholeMatch(of: /\s*retired\s*\(\s*<\s*([^\s)]+)\s*\)\s*/) {
            floor = match.1
        } else {
            return false
        }
        guard let version = Schema.Version(floor) else { return false }
        return versions?.contains(version) ?? true
    }

    private static let reachingFunction = LintRule(
        "reaching-function",
        "the function reaches beyond the transaction: other sessions, sequences, files, locks, time",
        advice: "Do without it, or do it by hand.",
        severity: .warning
    ) { statement, _, _ in
        statement.callsMade.filter { ($0.schema ?? "pg_catalog") == "pg_catalog" && reaching($0.name) }.map(
            \.description)
    }

    private static func reaching(_ name: String) -> Bool {
        let beginnings = [
            "pg_terminate_", "pg_cancel_", "pg_sleep", "pg_advisory_", "pg_try_advisory_", "pg_reload_", "pg_rotate_",
            "pg_switch_", "pg_promote", "pg_backup_", "pg_create_", "pg_drop_", "pg_replication_", "pg_logical_",
            "pg_read_", "pg_ls_", "pg_stat_reset", "lo_", "query_to_xml", "table_to_xml", "dblink",
        ]
        return ["setval", "pg_notify"].contains(name) || beginnings.contains { name.hasPrefix($0) }
    }

    private static let unseenFunction = LintRule(
        "function-not-seen",
        "what a function does is not known that no file of the line makes in SQL or PL/pgSQL, or that"
            + " puts its statements together when it runs",
        advice: "Write the statements themselves where that can be done.",
        severity: .warning
    ) { statement, _, surroundings in
        surroundings.functions.unseen(among: statement.callsMade).map(\.description)
    }

    private static let uncheckedStatement = LintRule(
        "statement-not-checked", "no rule knows this kind of statement",
        advice: "See that it keeps nobody waiting, takes nothing from older servers and changes no record.",
        severity: .warning
    ) { statement, _, _ in
        guard case .other(let kind) = statement.action, !judged.contains(kind), !ofServer.contains(kind) else {
            return []
        }
        return [statement.headline]
    }

    /// The kinds of statement, by the parser's names, that the rule about unchecked statements allows. They are
    /// harmless, or other rules check them.
    private static let judged: Set<String> = [
        "AlterDomainStmt", "AlterSeqStmt", "AlterStatsStmt", "CompositeTypeStmt", "ConstraintsSetStmt",
        "CreateCastStmt",
        "CreateRangeStmt", "DeallocateStmt", "DefineStmt", "DropOwnedStmt", "ExplainStmt", "PrepareStmt",
        "ReassignOwnedStmt",
    ]
}

extension SQLStatement {
    /// The settings that the statement changes, also by `set_config`.
    fileprivate var settings: [String] {
        var names = calls.filter { $0.function.name == "set_config" }.compactMap(\.constants.first)
        if case .set(let name?, _) = action { names.append(name) }
        return names.map { $0.lowercased() }
    }
}
