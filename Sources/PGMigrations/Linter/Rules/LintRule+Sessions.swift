internal import PGStore
internal import SQLText

/// Rules about sessions: transactions, settings, the search path and code that is not checked.
extension LintRule {
    static let sessions = [transactionControl, setting, unqualifiedName, fileExtension, uncheckedCode]

    private static let transactionControl = LintRule(
        "transaction-control", "the runner begins and ends the transactions, with its ledger in them",
        advice: "Remove it. Another transaction is another step: ‘-- phase: …’ begins one."
    ) { statement, _, _ in
        guard case .transaction = statement.action else { return [] }
        return [statement.headline]
    }

    private static let setting = LintRule(
        "set-without-local", "the setting outlives the step, and holds for the files that the same session runs next",
        advice: "Use SET LOCAL, in a step with a transaction."
    ) { statement, _, _ in
        guard case .set(_, isLocal: false) = statement.action else { return [] }
        return [statement.headline]
    }

    private static let unqualifiedName = LintRule(
        "unqualified-name", "without its schema it is not found: the runner sets search_path to nothing",
        advice: "Write schema.name."
    ) { statement, step, surroundings in
        var names = statement.relations
        switch statement.action {
        case .createFunction(let function): names.append(function.name)
        case .createEnum(let name), .createDomain(let name, _, _): names.append(name)
        default: break
        }
        return names.filter { name in
            name.schema == nil && !name.name.hasPrefix("pg_") && !surroundings.temporary.contains(name)
                && !(step.phase == .backfill && name.name == "batch")
        }.map(\.description)
    }

    private static let fileExtension = LintRule(
        "extension", "the server runs on a plain PostgreSQL, where nobody may be allowed to install it",
        advice: "Do without: the server asks for no extension."
    ) { statement, _, _ in
        guard case .createExtension(let name, _) = statement.action else { return [] }
        return [name]
    }

    private static let uncheckedCode = LintRule(
        "code-not-checked", "what DO and CALL run is not looked into, by no rule",
        advice: "Write the statements themselves where that can be done.",
        severity: .warning
    ) { statement, _, _ in
        statement.action == .runCode ? [statement.headline] : []
    }
}
