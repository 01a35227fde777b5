internal import SQLText

/// The changes that the functions of a line make, as far as their bodies tell: functions that its files made before,
/// and that a file makes itself.
struct FunctionEffects {
    /// By name; a function that is overloaded has the bodies of all. `nil` is one that cannot be looked into.
    private var bodies: [SQLName: [SQLBody?]] = [:]

    mutating func take(_ statement: SQLStatement) {
        guard case .createFunction(let function) = statement.action else { return }
        bodies[function.name, default: []].append(statement.body)
    }

    /// Returns the changes that somebody makes who calls these functions, by functions that they call as well.
    func changes(calling names: [SQLName]) -> [RowChange] {
        reached(from: names).flatMap { bodies[$0] ?? [] }.flatMap { $0?.changes ?? [] }
    }

    /// Returns the functions, of these and all that they call, that nobody knows all effects of.
    func unseen(among names: [SQLName]) -> [SQLName] {
        reached(from: names).filter { name in
            if name == Self.enrolling { return false }
            return bodies[name]?.contains { $0?.runsText ?? true } ?? true
        }
    }

    /// The function by which a file makes a table one of records.
    private static let enrolling = SQLName(schema: "sync", name: "enroll")

    private func reached(from names: [SQLName]) -> [SQLName] {
        var reached: [SQLName] = []
        var waiting = names
        while let name = waiting.popLast() {
            if reached.contains(name) || name.isOfPostgreSQL { continue }
            reached.append(name)
            waiting += (bodies[name] ?? []).flatMap { $0?.calls ?? [] }
        }
        return reached
    }
}

extension SQLStatement {
    /// The functions that are called when it is run; those of PostgreSQL too.
    var callsMade: [SQLName] {
        Self.calling.contains(kind) ? calls.map(\.function) + (action == .runCode ? body?.calls ?? [] : []) : []
    }

    /// Others only keep an expression, for later.
    private static let calling: Set<String> = [
        "SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt", "CopyStmt", "CreateTableAsStmt", "DoStmt",
        "CallStmt", "ExplainStmt", "PrepareStmt", "AlterTableStmt",
    ]
}

extension SQLName {
    /// A file's own functions are found with their schema alone.
    fileprivate var isOfPostgreSQL: Bool { schema == nil || schema == "pg_catalog" }
}
