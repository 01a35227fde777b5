internal import SQLText

/// Columns that a validated constraint proves not null. PostgreSQL then sets NOT NULL without reading the table.
struct NotNullProofs {
    private struct Check: Hashable {
        let table: SQLName
        let name: String
    }

    private var columns: [Check: [String]] = [:]
    private var validated: Set<Check> = []

    func prove(_ column: String, of table: SQLName) -> Bool {
        validated.contains { $0.table == table && columns[$0]?.contains(column) == true }
    }

    mutating func take(_ statement: SQLStatement) {
        guard case .alterTable(let alteration) = statement.action else { return }
        for command in alteration.commands {
            switch command {
            case .addConstraint(let constraint):
                guard case .check(let expression) = constraint.kind else { continue }
                // PostgreSQL gives an unnamed constraint this name, after its only column.
                let named = "\(alteration.relation.name)_\(expression.provenNotNull.first ?? "")_check"
                let check = Check(table: alteration.relation, name: constraint.name ?? named)
                columns[check] = expression.provenNotNull
                if constraint.isValidated { validated.insert(check) }
            case .validateConstraint(let name): validated.insert(Check(table: alteration.relation, name: name))
            case .dropConstraint(let name, _): validated.remove(Check(table: alteration.relation, name: name))
            default: break
            }
        }
    }
}
