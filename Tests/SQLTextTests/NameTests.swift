import SQLText
import Testing

/// Names that PostgreSQL reads differently from their spelling.
@Suite struct NameTests {
    /// Statements with `%` at each position where a name may be.
    private static let contexts = [
        "CREATE TABLE a.% (x text)", "CREATE TABLE %.b (x text)", "CREATE TABLE a.b (% text)",
        "CREATE TABLE a.b (x a.%)",
        "ALTER TABLE a.b ADD COLUMN % text", "ALTER TABLE a.b RENAME COLUMN x TO %", "ALTER TABLE a.% RENAME TO c",
        "ALTER TABLE a.b ADD CONSTRAINT % CHECK (x > 0)", "ALTER TABLE a.b VALIDATE CONSTRAINT %",
        "ALTER TABLE a.b DROP CONSTRAINT IF EXISTS %", "CREATE INDEX % ON a.b (x)", "CREATE INDEX ON a.b (%)",
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS % ON a.b (x)", "DROP INDEX CONCURRENTLY IF EXISTS a.%",
        "CREATE FUNCTION a.%() RETURNS int LANGUAGE sql AS 'SELECT 1'", "DROP FUNCTION a.%()", "SELECT a.%()",
        "CREATE FUNCTION a.f(% int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE FUNCTION a.f() RETURNS int LANGUAGE sql AS $$ SELECT % FROM a.b $$",
        "CREATE FUNCTION a.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.% := 1; RETURN NEW; END $$",
        "DO $$ BEGIN PERFORM a.%(); END $$", "CREATE TRIGGER % BEFORE INSERT ON a.b EXECUTE FUNCTION a.f()",
        "DROP TRIGGER % ON a.b", "CREATE POLICY % ON a.b USING (true)", "CREATE SCHEMA %",
        "CREATE TYPE a.% AS (x text)",
        "CREATE SEQUENCE a.%", "CREATE VIEW a.% AS SELECT 1", "CREATE DOMAIN a.% AS text",
        "CREATE STATISTICS a.% ON x, y FROM a.b",
        "SELECT % FROM a.b", "UPDATE a.b SET % = 1", "INSERT INTO a.b (%) VALUES (1)", "DELETE FROM a.b WHERE % > 1",
        "COMMENT ON COLUMN a.b.% IS ''", "GRANT SELECT ON a.% TO x", "GRANT SELECT ON a.b TO %", "CREATE ROLE %",
        "WITH % AS (SELECT 1) SELECT 1",
    ]

    private static func sql(_ context: String, _ name: String) -> String { context.replacing("%", with: name) }

    @Test(arguments: contexts) func aNameThatIsCutOffIsRefused(_ context: String) throws {
        for name in [
            String(repeating: "n", count: 64), "\"" + String(repeating: "N", count: 64) + "\"",
            String(repeating: "é", count: 32), "\"" + String(repeating: "€", count: 22) + "\"",
            "\"" + String(repeating: "\"\"", count: 64) + "\"",
            "U&\"" + String(repeating: "\\00e9", count: 32) + "\"", "u&\"" + String(repeating: "n", count: 64) + "\"",
            "U&\"" + String(repeating: "\\+01F600", count: 16) + "\"",
            "U&\"" + String(repeating: "!00e9", count: 32) + "\" UESCAPE '!'",
        ] {
            let error = #expect(throws: SQLSyntaxError.self) { try SQLScript(parsing: Self.sql(context, name)) }
            #expect("\(String(describing: error))".contains("cuts names off after 63"), "\(name)")
        }
    }

    @Test(arguments: contexts) func aNameThatFitsIsRead(_ context: String) throws {
        for name in [
            String(repeating: "n", count: 63), String(repeating: "é", count: 31) + "n",
            "\"" + String(repeating: "€", count: 21) + "\"", "\"" + String(repeating: "\"\"", count: 63) + "\"",
            "U&\"" + String(repeating: "\\00e9", count: 31) + "n\"",
            "U&\"" + String(repeating: "\\\\", count: 63) + "\"",
            "U&\"" + String(repeating: "\\+01F600", count: 15) + "nnn\"",
            "U&\"" + String(repeating: "!0041", count: 63) + "\" UESCAPE '!'",
        ] {
            #expect(throws: Never.self) { try SQLScript(parsing: Self.sql(context, name)) }
        }
    }

    @Test(arguments: [
        ("SELECT 1;\nALTER TABLE\u{A0} a.b ADD COLUMN x text", "U+00A0", 2), ("SELECT x\u{200B}", "U+200B", 1),
        ("SELECT\u{3000}1", "U+3000", 1), ("SELECT 1;\n\n\u{FEFF}SELECT 1", "U+FEFF", 3),
        ("SELECT\u{2028}1", "U+2028", 1),
        ("CREATE FUNCTION a.f() RETURNS int LANGUAGE sql AS $$ SELECT\u{A0}1 $$", "U+00A0", 1),
        ("SELECT a\u{3164}b", "U+3164", 1), ("SELECT a\u{FE0F}", "U+FE0F", 1), ("SELECT a\u{115F}", "U+115F", 1),
        ("SELECT a\u{FFA0}", "U+FFA0", 1), ("SELECT a\u{34F}", "U+034F", 1), ("SELECT a\u{180B}", "U+180B", 1),
        ("SELECT a\u{17B4}", "U+17B4", 1), ("SELECT a\u{E0100}", "U+E0100", 1), ("SELECT a\u{2800}b", "U+2800", 1),
        ("SELECT a\u{E0061}", "U+E0061", 1), ("SELECT a\u{2064}", "U+2064", 1), ("SELECT a\u{FFF0}", "U+FFF0", 1),
    ])
    func whatIsNotSeenIsNamed(_ sql: String, _ name: String, _ line: Int) throws {
        let error = try #require(#expect(throws: SQLSyntaxError.self) { try SQLScript(parsing: sql) })
        #expect(error.line == line && error.message.hasPrefix(name + " is no blank"), "\(error)")
    }

    @Test(arguments: [
        "SELECT 'a\u{A0}b', $$a\u{200B}b$$, \"a\u{A0}b\" -- a\u{A0}b", "SELECT x AS größe, y AS 数",
        "SELECT '" + String(repeating: "n", count: 100) + "'", "-- " + String(repeating: "n", count: 100),
        "DO $$ BEGIN RAISE NOTICE 'a\u{A0}b'; END $$",
    ])
    func textsAreFree(_ sql: String) {
        #expect(throws: Never.self) { try SQLScript(parsing: sql) }
    }

    /// The statement ends after such a name, and the name is decoded.
    @Test(arguments: [
        ("U&\"d\\0061t\"", "dat"), ("u&\"a\"\"b\"", "a\"b"), ("U&\"d!0061t\" UESCAPE '!'", "dat"),
        ("U&\"\\D83D\\DE00\"", "😀"),
    ])
    func aNameOfEscapesIsWhatItMeans(_ written: String, _ name: String) throws {
        let script = try SQLScript(parsing: "DROP TABLE a.\(written); DO $$ BEGIN DELETE FROM a.\(written); END $$")
        #expect(script.statements[0].text == "DROP TABLE a.\(written)")
        #expect(script.statements[0].relations == [SQLName(schema: "a", name: name)])
        #expect(script.statements[1].changes.map(\.table) == [SQLName(schema: "a", name: name)])
    }

    @Test(arguments: [
        ("a.b", "a", "b"), ("A.B", "a", "b"), ("\"A\".b", "A", "b"), ("a.\"b.c\"", "a", "b.c"),
        ("\"a\"\"b\"", nil, "a\"b"),
        ("user", nil, "user"), ("fitiq.\"user\"", "fitiq", "user"),
    ])
    func aTextIsReadAsAName(_ text: String, _ schema: String?, _ name: String) {
        #expect(SQLName(text: text) == SQLName(schema: schema, name: name))
    }

    @Test(arguments: [
        ("a", "b", "a.b"), ("order", "user", "\"order\".\"user\""), ("a", "B", "a.\"B\""), ("a", "b c", "a.\"b c\""),
        ("a", "b\"c", "a.\"b\"\"c\""), ("a", "1", "a.\"1\""), ("a", "café", "a.café"), ("a", "", "a.\"\""),
        ("a", "x'y", "a.\"x'y\""), ("a", "--", "a.\"--\""),
    ])
    func aNameIsQuotedWhereItMustBe(_ schema: String, _ name: String, _ sql: String) {
        #expect(SQLName(schema: schema, name: name).sql == sql)
    }
}
