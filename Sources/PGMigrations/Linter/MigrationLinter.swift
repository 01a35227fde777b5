internal import SQLText
package import WireFormats

/// Reads migration files before they are run, and reports statements that would lock tables for long, break servers or
/// lose data.
package struct MigrationLinter {
    private let setting: Setting

    /// The facts that the plans provide.
    struct Setting {
        /// The hub of each app (the shape of its tables on the server), by the app's schema.
        let hubs: [String: Hub]
        /// For each app, by its name: the tables of its entities, by every name that an entity has in any version.
        let entityNames: [String: [String: SQLName]]
        /// The versions that a plan declares, by app.
        let versions: [String: Set<Schema.Version>]
    }

    /// The facts that the files of the line before the linted file have established. Functions and views of the linted
    /// file itself are included.
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

    /// Returns the findings in those files of the line for which `isWanted` is true, in their order. The files before
    /// them are read too.
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
    /// The table of each entity, by the entity's name. If versions use one name for different entities, the newest
    /// version's entity is used, as it is when a device sends the name.
    fileprivate var tablesByName: [String: SQLName] {
        var tables: [String: SQLName] = [:]
        for case let projection? in projections.joined() {
            tables[projection.name] = SQLName(schema: hub.schema, name: hub.entities[projection.entity].table)
        }
        return tables
    }
}

extension LintRule {
    /// Returns the subjects of the rule's violations in a file, grouped by the first line of the violating statement.
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
    /// Returns the rule that the allowance itself breaks, with the subject of that violation; `nil` if it breaks none.
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
