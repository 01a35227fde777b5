internal import StrictJSON

extension SQLAction {
    /// Reads the action of a statement.
    ///
    /// - Parameter node: the statement's node in the parse tree: the value of the key `stmt`.
    init(_ node: JSONNode) {
        let tag = node.tag
        let body = node.body
        self =
            Self.definition(tag, body) ?? Self.query(tag, body) ?? Self.alteration(tag, body)
            ?? Self.rows(tag, body) ?? Self.upkeep(tag, body) ?? Self.session(tag, body) ?? .other(tag)
    }

    private static func definition(_ tag: String, _ node: JSONNode) -> SQLAction? {
        let ifNotExists = node.flag("if_not_exists")
        let isReplacing = node.flag("replace")
        let relation = SQLName(relation: node["relation"])
        switch tag {
        case "CreateSchemaStmt": return .createSchema(node.text("schemaname") ?? "", ifNotExists: ifNotExists)
        case "CreateStmt": return TableDefinition(node).map { .createTable($0) }
        case "IndexStmt": return IndexDefinition(node).map { .createIndex($0) }
        case "CreateFunctionStmt": return FunctionDefinition(node).map { .createFunction($0) }
        case "CreateTrigStmt":
            return relation.map { .createTrigger(node.text("trigname") ?? "", on: $0, isReplacing: isReplacing) }
        case "CreatePolicyStmt":
            return SQLName(relation: node["table"]).map { .createPolicy(node.text("policy_name") ?? "", on: $0) }
        case "RuleStmt": return relation.map { .createRule(on: $0, isReplacing: isReplacing) }
        case "CreateEnumStmt": return SQLName(parts: node.words("typeName")).map { .createEnum($0) }
        case "CreateDomainStmt":
            guard let name = SQLName(parts: node.words("domainname")), let type = SQLTypeName(node["typeName"]) else {
                return nil
            }
            return .createDomain(name, type, isConstrained: node.has("constraints"))
        case "CreateSeqStmt":
            return SQLName(relation: node["sequence"]).map { .createSequence($0, ifNotExists: ifNotExists) }
        case "CreateStatsStmt":
            return .createStatistics(
                on: node.list("relations").compactMap { SQLName(relation: $0) }, ifNotExists: ifNotExists)
        case "CreateExtensionStmt": return .createExtension(node.text("extname") ?? "", ifNotExists: ifNotExists)
        default: return nil
        }
    }

    private static func query(_ tag: String, _ node: JSONNode) -> SQLAction? {
        let relation: JSONNode?
        let kind: ObjectKind
        switch tag {
        case "ViewStmt":
            relation = node["view"]
            kind = .view
        case "CreateTableAsStmt":
            relation = node["into"]?["rel"]
            kind = ObjectKind(node.text("objtype"))
        case "SelectStmt":
            relation = node["intoClause"]?["rel"]
            kind = .table
        default: return nil
        }
        let base = QueryDefinition.base(of: node)
        return SQLName(relation: relation).map {
            .createQuery(
                QueryDefinition(
                    name: $0, kind: kind, isReplacing: node.flag("replace"), ifNotExists: node.flag("if_not_exists"),
                    isTemporary: relation?.text("relpersistence") == "t",
                    options: SQLStatement.options(node.list("options")), source: base.source, columns: base.columns))
        }
    }

    private static func alteration(_ tag: String, _ node: JSONNode) -> SQLAction? {
        switch tag {
        case "AlterTableStmt": return TableAlteration(node).map { .alterTable($0) }
        case "AlterEnumStmt":
            return SQLName(parts: node.words("typeName")).map {
                .alterEnum($0, ifNotExists: node.flag("skipIfNewValExists"))
            }
        case "AlterPolicyStmt": return SQLName(relation: node["table"]).map { .alterPolicy(on: $0) }
        case "AlterFunctionStmt":
            return FunctionAlteration(node).map { .alterFunction($0) }
        case "DropStmt": return .drop(Dropping(node))
        case "RenameStmt", "AlterObjectSchemaStmt": return .rename(Renaming(node))
        default: return nil
        }
    }

    private static func rows(_ tag: String, _ node: JSONNode) -> SQLAction? {
        switch tag {
        case "InsertStmt": return RowChange(.insert, node).map { .changeRows($0) }
        case "UpdateStmt": return RowChange(.update, node).map { .changeRows($0) }
        case "DeleteStmt": return RowChange(.delete, node).map { .changeRows($0) }
        case "MergeStmt": return RowChange(.merge, node).map { .changeRows($0) }
        case "CopyStmt" where node.flag("is_from"): return RowChange(.copy, node).map { .changeRows($0) }
        case "CopyStmt": return .select(locksRows: false)
        case "SelectStmt":
            // A data-modifying WITH counts as the statement in it, whose table is changed.
            return RowChange.all(in: node).first.map { .changeRows($0) }
                ?? .select(locksRows: node.has("lockingClause"))
        case "TruncateStmt":
            return .truncate(
                node.list("relations").compactMap { SQLName(relation: $0) },
                cascades: node.text("behavior") == "DROP_CASCADE")
        default: return nil
        }
    }

    private static func upkeep(_ tag: String, _ node: JSONNode) -> SQLAction? {
        let relation = SQLName(relation: node["relation"])
        let options = SQLStatement.options(node.list("options") + node.list("params"))
        switch tag {
        case "LockStmt":
            return .lock(
                node.list("relations").compactMap { SQLName(relation: $0) },
                LockMode(rawValue: Int(node["mode"]?.int64 ?? 0)) ?? .accessExclusive)
        case "VacuumStmt":
            let tables = node.list("rels").compactMap { SQLName(relation: $0["VacuumRelation"]?["relation"]) }
            let isFull = options["full"].map { !["false", "off", "0"].contains($0) } ?? false
            return node.flag("is_vacuumcmd") ? .vacuum(tables, isFull: isFull) : .analyze(tables)
        case "ClusterStmt": return .cluster(relation)
        case "ReindexStmt":
            let kind: ObjectKind =
                switch node.text("kind") {
                case "REINDEX_OBJECT_INDEX": .index
                case "REINDEX_OBJECT_TABLE": .table
                default: .other(node.text("kind") ?? "")
                }
            return .reindex(kind, relation, concurrently: options["concurrently"] == "true")
        case "RefreshMatViewStmt": return relation.map { .refresh($0, concurrently: node.flag("concurrent")) }
        default: return nil
        }
    }

    private static func session(_ tag: String, _ node: JSONNode) -> SQLAction? {
        switch tag {
        case "TransactionStmt": return .transaction(node.text("kind") ?? "")
        case "VariableSetStmt": return .set(node.text("name"), isLocal: node.flag("is_local") || isOfTransaction(node))
        case "CommentStmt":
            let parts = node["object"]?["List"]?.words("items") ?? []
            switch ObjectKind(node.text("objtype")) {
            case .table, .view, .materializedView, .index, .sequence: return .comment(on: SQLName(parts: parts))
            case .column, .constraint, .trigger, .policy, .rule: return .comment(on: SQLName(parts: parts.dropLast()))
            default: return .comment(on: nil)
            }
        case "GrantStmt", "GrantRoleStmt", "AlterDefaultPrivilegesStmt", "AlterOwnerStmt":
            return .grant(Granting(tag, node))
        case "CreateRoleStmt", "AlterRoleStmt", "AlterRoleSetStmt", "DropRoleStmt": return .changeRole(tag)
        case "DoStmt", "CallStmt": return .runCode
        default: return nil
        }
    }

    /// Returns true for `SET TRANSACTION`, which ends with the transaction as `SET LOCAL` does.
    private static func isOfTransaction(_ node: JSONNode) -> Bool {
        node.text("kind") == "VAR_SET_MULTI" && node.text("name")?.hasPrefix("TRANSACTION") == true
    }
}
