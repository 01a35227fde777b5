/// The SQL text of identifiers, types and values in a migration.
enum SQLText {
    /// The identifier, in quotes if PostgreSQL would otherwise read it as another name or as a keyword.
    static func identifier(_ name: String) -> String {
        let isPlain = name.utf8.enumerated().allSatisfy { index, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
            default: false
            }
        }
        return isPlain && !reserved.contains(name) ? name : "\"\(name)\""
    }

    /// A name that is composed of other names. PostgreSQL cuts names off after 63 bytes (manual, section 4.1.1), so two
    /// long names could become the same. A longer name is therefore shortened: it keeps its end and as much of its
    /// beginning as fits, and gets a hash of its whole beginning between them.
    static func name(_ beginning: String, _ end: String = "") -> String {
        if beginning.utf8.count + end.utf8.count <= nameBytesMax { return beginning + end }
        var hash = FNV1a()
        hash.combine(beginning)
        let digits = String(UInt32(truncatingIfNeeded: hash.value ^ (hash.value >> 32)), radix: 16)
        let tail = "_" + String(repeating: "0", count: 8 - digits.count) + digits + end
        var head = beginning
        while head.utf8.count + tail.utf8.count > nameBytesMax { head.removeLast() }
        return head + tail
    }

    private static let nameBytesMax = 63

    static func qualifiedName(_ schema: String, _ table: String) -> String {
        "\(identifier(schema)).\(identifier(table))"
    }

    static func type(_ type: ColumnType) -> String {
        type == .timestamp ? "timestamptz" : type.rawValue
    }

    /// The SQL statement that creates an index on a reference. The index serves to find the records that refer to a
    /// deleted record.
    static func index(_ qualifiedName: String, _ column: String) -> String {
        "CREATE INDEX ON \(qualifiedName) (space_id, \(identifier(column)));"
    }

    /// The SQL statement that creates an index on a unique attribute. The index serves to find the record with a given
    /// value among the records that are not deleted.
    static func lookup(_ qualifiedName: String, _ column: String) -> String {
        "CREATE INDEX ON \(qualifiedName) (space_id, \(identifier(column))) WHERE alive;"
    }

    /// The statement that creates an index on a reference concurrently, for a table in use. The index has a fixed name,
    /// so that a second attempt finds an index that a failed attempt left behind.
    static func indexBesideTraffic(_ schema: String, _ table: String, _ column: String) -> String {
        concurrentIndex(name("\(table)_space_id_\(column)", "_idx"), on: qualifiedName(schema, table), column) + ";"
    }

    static func lookupBesideTraffic(_ schema: String, _ table: String, _ column: String) -> String {
        let index = name("\(table)_space_id_\(column)_alive", "_idx")
        return concurrentIndex(index, on: qualifiedName(schema, table), column) + " WHERE alive;"
    }

    private static func concurrentIndex(_ name: String, on qualifiedName: String, _ column: String) -> String {
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS \(identifier(name))\n"
            + "    ON \(qualifiedName) (space_id, \(identifier(column)))"
    }

    static func alter(_ qualifiedName: String, _ clauses: [String]) -> String {
        "ALTER TABLE \(qualifiedName)\n" + clauses.map { "    \($0)" }.joined(separator: ",\n") + ";"
    }

    static func literal(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): value.text
        case .string(let text), .json(let text): quoted(text)
        case .date(let moment): quoted("\(moment)")
        case .uuid(let id): quoted("\(id)")
        case .data(let bytes):
            quoted("\\x" + bytes.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined())
        }
    }

    /// The name in lower-case words joined by hyphens, as a part of a file's name.
    static func fileWords(_ name: String) -> String {
        let words = name.split { !($0.isASCII && ($0.isLowercase || $0.isNumber)) }
        return words.isEmpty ? "table" : words.joined(separator: "-")
    }

    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// The text as an SQL string literal. PostgreSQL manual, section 4.1.2.1: a quote in a string is written twice.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    /// The keywords that cannot name a column unless they are quoted: PostgreSQL manual, appendix C.
    private static let reserved: Set<String> = [
        "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric", "authorization", "binary",
        "both", "case", "cast", "check", "collate", "collation", "column", "concurrently", "constraint", "create",
        "cross", "current_catalog", "current_date", "current_role", "current_schema", "current_time",
        "current_timestamp", "current_user", "default", "deferrable", "desc", "distinct", "do", "else", "end", "except",
        "false", "fetch", "for", "foreign", "freeze", "from", "full", "grant", "group", "having", "ilike", "in",
        "initially", "inner", "intersect", "into", "is", "isnull", "join", "lateral", "leading", "left", "like",
        "limit",
        "localtime", "localtimestamp", "natural", "not", "notnull", "null", "offset", "on", "only", "or", "order",
        "outer", "overlaps", "placing", "primary", "references", "returning", "right", "select", "session_user",
        "similar", "some", "symmetric", "system_user", "table", "tablesample", "then", "to", "trailing", "true",
        "union", "unique", "user", "using", "variadic", "verbose", "when", "where", "window", "with",
    ]
}
