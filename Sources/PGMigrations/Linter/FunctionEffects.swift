internal import SQLText

/// The changes to rows that functions make, as far as the functions' bodies show. The functions are those that the
/// linted migration file and earlier files create.
struct FunctionEffects {
    /// The bodies by function name; an overloaded function has the bodies of all its forms. `nil` stands for a body
    /// that cannot be analysed.
    private var bodies: [SQLName: [SQLBody?]] = [:]

    mutating func take(_ statement: SQLStatement) {
        guard case .createFunction(let function) = statement.action else { return }
        bodies[function.name, default: []].append(statement.body)
    }

    /// Returns the row changes that a call of these functions makes, including those of functions that they call.
    func changes(calling names: [SQLName]) -> [RowChange] {
        reached(from: names).flatMap { bodies[$0] ?? [] }.flatMap { $0?.changes ?? [] }
    }

    /// Returns the functions whose effects are not fully known: among the given functions, and all functions that these
    /// call. The effects are unknown if no migration file contains the function's body. They are also unknown if the
    /// body executes SQL that it composes as text.
    func unseen(among names: [SQLName]) -> [SQLName] {
        reached(from: names).filter { name in
            if name == Self.enrolling { return false }
            return bodies[name]?.contains { $0?.runsText ?? true } ?? true
        }
    }

    /// The server's own function that turns a table into a table of synced records.
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
    /// The functions that the statement calls when it runs, PostgreSQL's own included.
    var callsMade: [SQLName] {
        Self.calling.contains(kind) ? calls.map(\.function) + (action == .runCode ? body?.calls ?? [] : []) : []
    }

    /// The kinds of statement that evaluate their expressions when they run. Other kinds, such as `CREATE VIEW`, only
    /// store an expression.
    private static let calling: Set<String> = [
        "SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt", "CopyStmt", "CreateTableAsStmt", "DoStmt",
        "CallStmt", "ExplainStmt", "PrepareStmt", "AlterTableStmt",
    ]
}

extension SQLName {
    /// True if the function counts as one of PostgreSQL's own, because its name has no schema or that of PostgreSQL.
    /// Files call their own functions with a schema, since the search path is empty when they run.
    fileprivate var isOfPostgreSQL: Bool { schema == nil || schema == "pg_catalog" }
}
