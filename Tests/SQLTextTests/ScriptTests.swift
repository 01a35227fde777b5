import SQLText
import Testing

/// The beginnings and ends of statements and comments.
@Suite struct ScriptTests {
    @Test func splitsWherePostgreSQLDoes() throws {
        let script = try SQLScript(
            parsing: """
                -- A head; with a semicolon.

                CREATE FUNCTION a.f() RETURNS void LANGUAGE sql AS $body$ SELECT 1; -- no comment
                $body$;;
                /* ü; */ SELECT 'a;b', "c;d" -- trailing
                ;
                CREATE RULE r AS ON INSERT TO a.b DO (DELETE FROM a.c; DELETE FROM a.d);
                  SELECT 3 -- the end
                """)
        #expect(script.statements.map(\.line) == [3, 5, 7, 8])
        #expect(
            script.statements.map(\.text).dropFirst() == [
                "SELECT 'a;b', \"c;d\"",
                "CREATE RULE r AS ON INSERT TO a.b DO (DELETE FROM a.c; DELETE FROM a.d)", "SELECT 3",
            ])
        let bytes = Array(script.text.utf8)
        for statement in script.statements {
            #expect(String(decoding: bytes[statement.bytes], as: UTF8.self) == statement.text)
        }
        #expect(script.comments.map(\.text) == ["A head; with a semicolon.", "ü;", "trailing", "the end"])
        #expect(script.comments.map(\.line) == [1, 5, 5, 8])
        #expect(script.comments.map(\.isLine) == [true, false, false, false])
    }

    @Test(arguments: ["", "\n", "-- nothing", "/* a /* b */ c */", ";;"])
    func aScriptMayBeEmpty(_ text: String) throws {
        #expect(try SQLScript(parsing: text).statements.isEmpty)
    }

    @Test func commentsInStringsAreNone() throws {
        let script = try SQLScript(parsing: "SELECT '\n-- a', E'\\'-- b', $$\n-- c\n$$, \"-- d\"; -- e")
        #expect(script.comments.map(\.text) == ["e"])
    }

    @Test(arguments: [
        ("selec 1", "syntax error at or near \"selec\"", 1, 1),
        ("SELECT 1;\n\nSELECT 'ü€😀', x y z;", "syntax error at or near \"z\"", 3, 19),
        ("SELECT 1;\nSELECT 'open", "unterminated quoted string at or near \"'open\"", 2, 8),
        ("SELECT 1;\nSELECT (1", "syntax error at end of input", 2, 10),
        ("SELECT\n \0 1", "a U+0000 in the text, which PostgreSQL does not take", 2, 2),
    ])
    func aFaultHasItsPosition(text: String, message: String, line: Int, column: Int) {
        #expect(throws: SQLSyntaxError(message: message, line: line, column: column)) { try SQLScript(parsing: text) }
    }

    @Test func nestingHasALimit() {
        let deep = "SELECT 1" + String(repeating: " + 1", count: 2000)
        #expect(throws: SQLSyntaxError.self) { try SQLScript(parsing: deep) }
        #expect(throws: Never.self) { try SQLScript(parsing: "SELECT 1" + String(repeating: " + 1", count: 200)) }
    }

    @Test func aStatementHasALimit() throws {
        let long = "SELECT 1;\nSELECT 1" + String(repeating: " + 1", count: 30_000)
        let error = SQLSyntaxError(message: "a statement of more than 50000 words", line: 2, column: 1)
        #expect(throws: error) { try SQLScript(parsing: long) }
        let rows = String(repeating: "INSERT INTO a.b VALUES (1, 2);", count: 7_000)
        #expect(try SQLScript(parsing: rows).statements.count == 7_000)
    }

    @Test func parsesOnAnyThread() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let isBroken = number.isMultiple(of: 3)
                    let text = "ALTER TABLE a.b ADD COLUMN c\(number) \(isBroken ? ", ," : "text")"
                    return ((try? SQLScript(parsing: text)) == nil) == isBroken
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
