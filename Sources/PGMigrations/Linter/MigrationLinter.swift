internal import SQLText
package import WireFormats

/// Reads migration files before they are run, and reports statements that would lock tables for long, break servers or
/// lose data.
package struct MigrationLinter {
    private let setting: Setting

    /// The facts about the apps' schemas that lint rules need. They come from the apps' plans.
    struct Setting {
        /// The hub of each app: the description of the app's tables on the server. The key is the name of the app's
        /// schema.
        let hubs: [String: Hub]
        /// The tables of each app's entities. The outer key is the app's name; the inner key is any name that the
        /// entity has in any version.
        let entityNames: [String: [String: SQLName]]
        /// The versions that a plan declares, by app.
        let versions: [String: Set<Schema.Version>]
    }

    /// The facts that earlier migration files establish. `functions` and `views` also include those that the linted
    /// file itself creates.
    struct Past {
        var proofs = NotNullProofs()
        var functions = FunctionEffects()
        var views = ViewTables()
        /// The tables and views that existed before the linted file.
        var relations: Set<SQLName> = []
    }

    package init(plans: [Plan]) {
        setting = Setting(
            hubs: Dictionary(plans.map { ($0.hub.schema, $0.hub) }, uniquingKeysWith: { $1 }),
            entityNames: Dictionary(plans.map { ($0.app, $0.tablesByName) }, uniquingKeysWith: { $1 }),
            versions: Dictionary(plans.map { ($0.app, Set($0.schemas.map(\.version))) }, uniquingKeysWith: { $1 }))
    }

    /// Returns the findings in the files of `line` for which `isWanted` returns true, in the order of the files.
    /// Earlier files are read as well, because findings depend on the objects that they create.
    package func findings(
        in line: MigrationLine, where isWanted: (MigrationFile) -> Bool = { _ in true }
    ) throws -> [LintFinding] {
        var past = Past()
        return try line.files.flatMap { file in
            let statements = file.steps.flatMap(\.statements)
            for statement in statements {
                past.functions.take(statement)
                past.views.take(statement)
            }
            defer {
                for statement in statements {
                    past.proofs.take(statement)
                    past.relations.subtract(statement.relationsTaken)
                    if let relation = statement.createdRelation { past.relations.insert(relation) }
                }
            }
            return isWanted(file) ? findings(in: try LintedFile(file), past) : []
        }
    }

    private func findings(in file: LintedFile, _ past: Past) -> [LintFinding] {
        let surroundings = LintSurroundings(file, in: setting, after: past)
        var findings: [LintFinding] = []
        var used: Set<Int> = []
        for rule in LintRule.all {
            for (line, subjects) in rule.subjects(in: file, surroundings) {
                let silencer = file.allowances.first { $0.isReasoned && $0.silences(rule.name, ofStatementAt: line) }
                if let silencer {
                    used.insert(silencer.line)
                } else {
                    findings.append(rule.finding(file.path, line: line, subjects.joined(separator: ", ")))
                }
            }
        }
        for allowance in file.allowances {
            guard let (rule, subject) = allowance.fault(isUsed: used.contains(allowance.line)) else { continue }
            findings.append(rule.finding(file.path, line: allowance.line, subject))
        }
        return findings.enumerated()
            .sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }.map(\.element)
    }
}

extension Plan {
    /// The table of each entity, by the entity's name. If schema versions use one name for different entities, the
    /// entity of the newest version is used.
    fileprivate var tablesByName: [String: SQLName] {
        var tables: [String: SQLName] = [:]
        for case let projection? in projections.joined() {
            tables[projection.name] = SQLName(schema: hub.schema, name: hub.entities[projection.entity].table)
        }
        return tables
    }
}

extension LintRule {
    /// Returns the tables, columns or functions with which a file violates the rule, grouped by the line on which the
    /// violating statement begins.
    fileprivate func subjects(
        in file: LintedFile, _ surroundings: LintSurroundings
    ) -> [(line: Int, subjects: [String])] {
        var found: [(line: Int, subjects: [String])] = []
        for violation in violations(file, surroundings) {
            let index = found.firstIndex { $0.line == violation.statement.line } ?? found.endIndex
            if index == found.endIndex { found.append((violation.statement.line, [])) }
            if !found[index].subjects.contains(violation.subject) { found[index].subjects.append(violation.subject) }
        }
        return found
    }
}

extension LintAllowance {
    /// Returns the rule that the allowance itself violates, for example because it gives no reason, and the subject of
    /// the violation. Returns `nil` if the allowance is valid.
    ///
    /// - Parameter isUsed: true if the allowance has silenced a finding.
    fileprivate func fault(isUsed: Bool) -> (LintRule, subject: String)? {
        guard let rule, LintRule.all.contains(where: { $0.name == rule }) else {
            return (.unknownAllowance, self.rule ?? "lint:")
        }
        if !isReasoned { return (.unreasonedAllowance, rule) }
        return isUsed ? nil : (.unusedAllowance, rule)
    }
}
