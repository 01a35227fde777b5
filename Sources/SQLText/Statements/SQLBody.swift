internal import StrictJSON

/// The visible effects of the body of a function or a code block. A body in SQL's own syntax (`BEGIN ATOMIC …`, `RETURN
/// …`) is analysed as statements. Any other body is only searched for words, because it may be in another language.
package struct SQLBody: Sendable, Hashable {
    /// The row changes that the body makes, in the order of the body's text.
    package let changes: [RowChange]
    /// The functions that the body calls by a name with a schema.
    package let calls: [SQLName]
    /// True if the body executes SQL text (`EXECUTE`) that may change rows. This is the case if the text does not begin
    /// with a constant, or if it contains a word such as `DELETE`.
    package let runsText: Bool
    /// A description of the first name in the body that PostgreSQL would misread, for example because it is too long.
    /// `nil` if there is none.
    let fault: String?
}

extension SQLBody {
    /// Reads the body of a function, a rule or a `DO` block. Returns `nil` if the statement has no body that can be
    /// read.
    ///
    /// - Parameter statement: the statement's node in the parse tree, with its tag.
    init?(of statement: JSONNode) {
        let node = statement.body
        let options = (node.list("options") + node.list("args")).compactMap { $0["DefElem"] }
        func option(_ name: String) -> JSONNode? { options.first { $0.text("defname") == name }?["arg"] }
        switch statement.tag {
        case "CreateFunctionStmt" where node.has("sql_body"): self.init(node)
        case "RuleStmt": self.init(node)
        case "CreateFunctionStmt", "DoStmt":
            // A block without a language is in PL/pgSQL.
            let language = option("language")?.word?.lowercased() ?? "plpgsql"
            let parts = option("as")
            guard Self.languages.contains(language), let text = parts?["List"]?.words("items").last ?? parts?.word
            else {
                return nil
            }
            self.init(text: text)
        default: return nil
        }
    }

    private static let languages: Set<String> = ["sql", "plpgsql"]

    /// Reads a text in SQL or PL/pgSQL; `nil` if it cannot be split into words, as with an open quote.
    private init?(text: String) {
        let source = SourceText(text)
        guard let tokens = try? PostgresParser.tokens(of: source).filter({ !$0.isComment }) else { return nil }
        let fault: String?
        do {
            try NameCheck.check(tokens, of: source)
            fault = nil
        } catch {
            fault = error.message
        }
        var reader = BodyReader(words: tokens.indices.map { BodyReader.Word($0, tokens, source) })
        reader.read()
        self.init(changes: reader.changes, calls: reader.calls, runsText: reader.runsText, fault: fault)
    }

    /// Reads an SQL body: `BEGIN ATOMIC …`, and `RETURN …`.
    private init(_ node: JSONNode) {
        self.init(
            changes: RowChange.all(in: node),
            calls: node.all("FuncCall").compactMap { SQLName(parts: $0.words("funcname")) }.filter { $0.schema != nil },
            runsText: false, fault: nil)
    }
}

/// A reader that finds row changes and function calls among the words of a function's body.
private struct BodyReader {
    struct Word {
        let text: String
        let isName: Bool
        let isText: Bool
        let isKeyword: Bool

        init(_ index: Int, _ tokens: [SQLToken], _ source: SourceText) {
            let token = tokens[index]
            text =
                token.kind == .name
                ? NameCheck.name(at: index, in: tokens, of: source) : source.text(token.bytes).lowercased()
            isName = token.kind == .name
            isText = token.kind == .text
            isKeyword = token.isKeyword
        }
    }

    let words: [Word]
    private(set) var changes: [RowChange] = []
    private(set) var calls: [SQLName] = []
    private(set) var runsText = false

    init(words: [Word]) { self.words = words }

    mutating func read() {
        for index in words.indices {
            let word = words[index]
            if let (name, next) = name(at: index), name.schema != nil, text(next) == "(", text(index - 1) != "." {
                calls.append(name)
            }
            if word.isName { continue }
            switch word.text {
            case "insert", "merge": note(word.text == "merge" ? .merge : .insert, at: index, behind: ["into"])
            case "delete": note(.delete, at: index, behind: ["from"])
            case "truncate": note(.truncate, at: index, behind: [])
            case "copy": note(.copy, at: index, behind: [])
            // Not FOR UPDATE, ON CONFLICT DO UPDATE, or BEFORE INSERT OR UPDATE.
            case "update" where !["for", "key", "do", "or", "on"].contains(text(index - 1)):
                note(.update, at: index, behind: [])
            // Not GRANT EXECUTE ON, nor a trigger's EXECUTE FUNCTION.
            case "execute" where !["on", "function", "procedure"].contains(text(index + 1)):
                if !isHarmless(index + 1) { runsText = true }
            default: break
            }
        }
    }

    /// Returns true if the SQL text that `EXECUTE` runs begins with a constant, and the rest of the statement has no
    /// word such as `DELETE`. The constant may also be the first argument of `format`.
    private func isHarmless(_ index: Int) -> Bool {
        let start = text(index) == "format" && text(index + 1) == "(" ? index + 2 : index
        guard words.indices.contains(start), words[start].isText else { return false }
        return Self.changing.isDisjoint(with: rest(from: start).flatMap { $0.split { !$0.isLetter }.map(String.init) })
    }

    private static let changing: Set<String> = ["insert", "update", "delete", "truncate", "merge", "copy", "execute"]

    private func text(_ index: Int) -> String { words.indices.contains(index) ? words[index].text : "" }

    private mutating func note(_ verb: RowChange.Verb, at index: Int, behind signs: [String]) {
        var next = index + 1
        for sign in signs {
            guard text(next) == sign else { return }
            next += 1
        }
        if verb == .truncate, text(next) == "table" { next += 1 }
        if text(next) == "only" { next += 1 }
        guard let (table, end) = name(at: next) else { return }
        let words = rest(from: end)
        if verb == .copy, !words.contains("from") { return }
        if verb == .update, !words.contains("set") { return }
        changes.append(RowChange(verb, of: table, before: words))
    }

    /// Returns the words of the body from `index` up to the next semicolon.
    private func rest(from index: Int) -> [String] { words[index...].prefix { $0.text != ";" }.map(\.text) }

    private func name(at index: Int) -> (SQLName, end: Int)? {
        guard isNamePart(index) else { return nil }
        guard text(index + 1) == ".", index + 2 < words.count else {
            return (SQLName(schema: nil, name: text(index)), index + 1)
        }
        return (SQLName(schema: text(index), name: text(index + 2)), index + 3)
    }

    private func isNamePart(_ index: Int) -> Bool {
        words.indices.contains(index) && (words[index].isName || words[index].isKeyword)
    }
}
