import Postgres
import SyncTestSupport
import SyncTesting
import Testing

@Suite struct PGErrorTests {
    /// Errors that the server raises, and the case that each becomes.
    private static let mapping = [
        "40001": "serialization", "40P01": "deadlock", "55P03": "lockTimeout", "57014": "statementTimeout",
        "53300": "tooManyConnections", "23505": "uniqueViolation", "23502": "constraintViolation",
        "23503": "constraintViolation", "23514": "constraintViolation", "42501": "insufficientPrivilege",
        "53100": "diskFull", "58030": "diskFull", "53200": "outOfResources", "53000": "outOfResources",
        "53400": "outOfResources", "XX001": "statement", "57P03": "connectionLost",
        "25006": "readOnly", "22003": "invalidInput", "22P02": "invalidInput", "22021": "invalidInput",
        "0A000": "statement", "42601": "statement", "P0001": "statement", "08006": "connectionLost",
    ]

    @Test(arguments: mapping) func eachSQLStateBecomesItsCase(state: String, name: String) async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let raise = Statement(unchecked: "DO $$ BEGIN RAISE 'told' USING ERRCODE = '\(state)'; END $$")
            let error = try #require(await #expect(throws: PGError.self) { try await session.execute(Command(raise)) })
            #expect(error.caseName == name)
            #expect(error.debugDescription.contains("told"))
        }
    }

    @Test func aViolatedConstraintIsNamed() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.execute("CREATE TABLE public.t (x bigint CONSTRAINT only_once UNIQUE)")
            try await session.execute("INSERT INTO public.t VALUES (1)")
            let error = await #expect(throws: PGError.self) {
                try await session.execute("INSERT INTO public.t VALUES (1)")
            }
            guard case .uniqueViolation(constraint: "only_once", _) = error else {
                Issue.record("\(String(reflecting: error))")
                return
            }
        }
    }

    @Test func descriptionsHoldNoSQLAndNoValues() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.execute("CREATE TABLE public.secret_table (x text UNIQUE)")
            let insert = Command("INSERT INTO public.secret_table VALUES ($1)", [.text("secret value")])
            try await session.execute(insert)
            let error = try #require(await #expect(throws: PGError.self) { try await session.execute(insert) })
            #expect(!error.description.contains("secret") && !"\(error)".contains("secret"))
            #expect(error.debugDescription.contains("secret_table"))
        }
    }

    /// Class 22 quotes what it cannot read, class 23 the row in its DETAIL, and a function of a team's own what it
    /// likes.
    @Test(arguments: [
        "INSERT INTO public.t VALUES ('hush')", "SELECT x::bigint FROM public.t",
        "DO $$ BEGIN RAISE 'no %', (SELECT x FROM public.t); END $$",
        "DO $$ BEGIN RAISE 'no' USING ERRCODE = '53100', DETAIL = (SELECT x FROM public.t); END $$",
        "DO $$ BEGIN RAISE USING ERRCODE = '42P01', MESSAGE = (SELECT x FROM public.t); END $$",
    ]) func whatIsLoggedHoldsNoValues(sql: String) async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.execute("CREATE TABLE public.t (x text CONSTRAINT only_once UNIQUE)")
            try await session.execute("INSERT INTO public.t SELECT concat('hu', 'sh')")
            let command = Command(
                Statement(unchecked: sql.replacing("'hush'", with: "$1::text")),
                sql.contains("'hush'") ? [.text("hush")] : [])
            let error = try #require(await #expect(throws: PGError.self) { try await session.execute(command) })
            #expect(error.debugDescription.contains("hush"))
            #expect(!error.logText.contains("hush"), "\(error.logText)")
            #expect(error.logText.contains(try #require(error.report).sqlState))
            if sql.hasPrefix("INSERT") {
                #expect(error.logText.contains("only_once") && error.logText.contains("public.t"))
            }
        }
    }

    @Test func whatTheServerSaysOfItselfIsLogged() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let error = try #require(
                await #expect(throws: PGError.self) { try await session.execute("SELECT FROM public.nothing") })
            #expect(error.logText.contains("[42P01] relation \"public.nothing\" does not exist"), "\(error.logText)")
        }
    }

    @Test func aServerThatIsNotThereIsUnreachable() async throws {
        let nowhere = ConnectionString(socketDirectory: "/nonexistent", port: 1, user: "u", database: "d")
        let error = await #expect(throws: PGError.self) { try await Session.open(nowhere) }
        #expect(error?.caseName == "unreachable")
    }

    @Test func passwordsAreNeverPrinted() throws {
        for text in [
            "postgresql://me:hush%20hush@db.example:5433/shop?sslpassword=quiet",
            "host=db.example port=5433 user=me password='hush hush' dbname=shop sslpassword=quiet",
        ] {
            let string = try ConnectionString(text)
            for printed in ["\(string)", String(reflecting: string), dumped(string)] {
                #expect(!printed.contains("hush") && !printed.contains("quiet"))
            }
            #expect("\(string)".contains("db.example"))
            #expect(string.database == "shop" && string.user == "me")
            #expect(try ConnectionString(string.textRevealingSecrets) == string)
        }
        let error = #expect(throws: PGError.self) { try ConnectionString("postgresql://[::1") }
        #expect(error?.caseName == "invalidConnectionString")
    }

    private func dumped(_ string: ConnectionString) -> String {
        var text = ""
        dump(string, to: &text)
        return text
    }
}

extension PGError {
    /// The name of the case alone.
    var caseName: String {
        Mirror(reflecting: self).children.first?.label ?? "\(self)"
    }
}
