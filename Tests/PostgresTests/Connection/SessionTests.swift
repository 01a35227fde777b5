import SyncTestSupport
import SyncTesting
import Testing

@testable import Postgres

@Suite struct SessionTests {
    private struct Stop: Error {}

    @Test func aTransactionCommitsWhenItsBodyReturns() async throws {
        try await withNumbers { database, session in
            try await session.transaction { try $0.insert(7) }
            #expect(try await database.session().numbers() == [7])
        }
    }

    @Test func aTransactionRollsBackWhenItsBodyThrows() async throws {
        try await withNumbers { _, session in
            await #expect(throws: Stop.self) {
                try await session.transaction { session in
                    try session.insert(7)
                    throw Stop()
                }
            }
            let numbers = try await session.numbers()
            #expect(numbers == [])
        }
    }

    @Test func aTransactionRollsBackWhenAStatementFails() async throws {
        try await withNumbers { _, session in
            await #expect(throws: PGError.self) {
                try await session.transaction { session in
                    try session.insert(7)
                    try session.execute("SELECT 1 / 0")
                }
            }
            let numbers = try await session.numbers()
            #expect(numbers == [])
        }
    }

    @Test func aBodyThatSwallowsAFailureCannotCommit() async throws {
        try await withNumbers { _, session in
            let error = await #expect(throws: PGError.self) {
                try await session.transaction { session in
                    try session.insert(7)
                    _ = try? session.execute("SELECT 1 / 0")
                }
            }
            guard case .transactionAborted = error else { Issue.record("\(String(reflecting: error))"); return }
            let numbers = try await session.numbers()
            #expect(numbers == [])
        }
    }

    @Test func commitPipelineCommitsWithItsLastCommand() async throws {
        try await withNumbers { database, session in
            let other = try await database.session()
            let seen = try await session.transaction { session in
                try session.insert(1)
                return try session.commitPipeline([
                    Command("INSERT INTO public.number VALUES ($1)", [.int(2)]),
                    "SELECT count(*) FROM public.number",
                ])[1].int(0, 0)
            }
            #expect(seen == 2)
            #expect(try await other.numbers() == [1, 2])
        }
    }

    @Test func aFailureInTheCommitPipelineCommitsNothing() async throws {
        try await withNumbers { _, session in
            let error = await #expect(throws: PGError.self) {
                try await session.transaction { session in
                    try session.commitPipeline([
                        Command("INSERT INTO public.number VALUES ($1)", [.int(2)]), "SELECT 1 / 0",
                    ])
                }
            }
            #expect(error?.report?.sqlState == "22012")
            #expect(error?.report?.sql == "SELECT 1 / 0")
            let numbers = try await session.numbers()
            #expect(numbers == [])
        }
    }

    @Test func aConstraintCheckedAtCommitIsReported() async throws {
        try await withNumbers { _, session in
            try await session.execute("ALTER TABLE public.number ADD UNIQUE (x) DEFERRABLE INITIALLY DEFERRED")
            let error = await #expect(throws: PGError.self) {
                try await session.transaction { session in
                    try session.insert(1)
                    try session.insert(1)
                }
            }
            guard case .uniqueViolation(constraint: "number_x_key", _) = error else {
                Issue.record("\(String(reflecting: error))")
                return
            }
            let numbers = try await session.numbers()
            #expect(numbers == [])
        }
    }

    @Test func thePreambleHoldsForItsTransactionOnly() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let preamble = [Command("SELECT set_config('sync.space', $1, true)", [.text("here")])]
            let inside = try await session.transaction(preamble: preamble) { session in
                try session.execute("SELECT current_setting('sync.space')").string(0, 0)
            }
            #expect(inside == "here")
            let after = try await session.execute("SELECT current_setting('sync.space', true)")
            #expect(after.stringIfPresent(0, 0) ?? "" == "")
        }
    }

    @Test func aTransactionThatRunsNothingSendsNothing() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let value = try await session.transaction(preamble: ["SELECT 1 / 0"]) { _ in 5 }
            #expect(value == 5)
        }
    }

    @Test func readOnlyTransactionsRefuseWrites() async throws {
        try await withNumbers { _, session in
            for mode in [TransactionMode.readOnly, .snapshot] {
                let error = await #expect(throws: PGError.self) {
                    try await session.transaction(mode) { try $0.insert(1) }
                }
                guard case .readOnly = error else { Issue.record("\(String(reflecting: error))"); continue }
            }
        }
    }

    /// An app of many entities has more statements than a session keeps. What is forgotten for BEGIN must not go before
    /// it: after another statement PostgreSQL takes no isolation level.
    @Test func aSnapshotBeginsAlsoWhereItsBeginWasForgotten() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let reading: @Sendable (isolated Session) throws -> Int64 = { try $0.execute("SELECT 1::bigint").int(0, 0) }
            for _ in 0..<3 {
                #expect(try await session.transaction(.snapshot, reading) == 1)
                for number in 0..<StatementCache.defaultLimit {
                    try await session.execute(Command(Statement(unchecked: "SELECT \(number)")))
                }
                let kept = try await session.execute("SELECT count(*) FROM pg_prepared_statements").int(0, 0)
                #expect(kept <= Int64(StatementCache.defaultLimit + 1))
            }
        }
    }

    @Test func aSnapshotDoesNotSeeLaterCommits() async throws {
        try await withNumbers { database, session in
            let writer = try await database.session()
            let first = Gate()
            let second = Gate()
            async let counts = session.transaction(.snapshot) { session in
                let before = try session.execute("SELECT count(*) FROM public.number").int(0, 0)
                first.open()
                second.block()
                return [before, try session.execute("SELECT count(*) FROM public.number").int(0, 0)]
            }
            await first.wait()
            try await writer.transaction { try $0.insert(1) }
            second.open()
            #expect(try await counts == [0, 0])
        }
    }

    @Test func transactionsCannotInterleave() async throws {
        try await withNumbers { _, session in
            try await session.transaction { try $0.insert(0) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await session.transaction { session in
                            let x = try session.execute("SELECT x FROM public.number").int(0, 0)
                            try session.execute(Command("UPDATE public.number SET x = $1", [.int(x + 1)]))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let numbers = try await session.numbers()
            #expect(numbers == [20])
        }
    }

    @Test func sessionsWaitForTheServerSideBySide() async throws {
        try await withTestDatabase { database in
            let holder = try await database.session()
            try await holder.execute("SELECT pg_advisory_lock(1)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await database.session().execute("SELECT pg_advisory_lock_shared(1)") }
                }
                // More than there are threads for tasks.
                try await eventually("all wait at the same time") {
                    try await holder.execute(
                        """
                        SELECT count(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock'
                        """
                    ).int(0, 0) == 8
                }
                try await holder.execute("SELECT pg_advisory_unlock(1)")
                try await group.waitForAll()
            }
        }
    }

    @Test func aSavepointUndoesOnlyItsOwnStatements() async throws {
        try await withNumbers { _, session in
            try await session.transaction { session in
                try session.insert(1)
                #expect(throws: PGError.self) {
                    try session.savepoint { session in
                        try session.insert(2)
                        try session.execute("SELECT 1 / 0")
                    }
                }
                try session.savepoint { try $0.insert(3) }
            }
            let numbers = try await session.numbers()
            #expect(numbers == [1, 3])
        }
    }

    @Test func aLongPipelineDoesNotStallInEitherDirection() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let big = String(repeating: "x", count: 100_000)
            let rows = try await session.pipeline(
                (0..<200).map { _ in Command("SELECT $1::text", [.text(big)]) })
            #expect(rows.count == 200)
            #expect(rows.allSatisfy { $0.withBytes(0, 0) { $0.count } == 100_000 })
        }
    }

    @Test func oneTextMayBeBoundWithDifferentTypes() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let statement: Statement = "SELECT ($1)::text"
            for _ in 0..<2 {
                #expect(try await session.execute(Command(statement, [.int(1)])).string(0, 0) == "1")
                #expect(try await session.execute(Command(statement, [.text("a")])).string(0, 0) == "a")
            }
        }
    }

    @Test func preparedStatementsAreBounded() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            for n in 0..<450 {
                let rows = try await session.execute(Command(Statement(unchecked: "SELECT \(n)")))
                #expect(rows.int(0, 0) == n)
            }
            // Twice: what makes room for a statement goes behind it.
            let counting: Command = "SELECT count(*) FROM pg_prepared_statements"
            let held = try await session.pipeline([counting]) + session.pipeline([counting])
            #expect(held.map { $0.int(0, 0) } == [401, 400])
            #expect(try await session.execute(Command(Statement(unchecked: "SELECT 0"))).int(0, 0) == 0)
        }
    }

    @Test func aFailedPrepareIsNotRemembered() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            await #expect(throws: PGError.self) { try await session.execute("SELECT x FROM public.later") }
            try await session.execute("CREATE TABLE public.later (x bigint)")
            #expect(try await session.execute("SELECT x FROM public.later").count == 0)
        }
    }

    /// The second command needs the statement for other types, whose predecessor the server never prepared either:
    /// dropping that would fail with every pipeline from then on.
    @Test func whatWasNeverPreparedIsNotDropped() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let (number, text) = (Command("SELECT $1", [.int(1)]), Command("SELECT $1", [.text("a")]))
            await #expect(throws: PGError.self) { try await session.pipeline(["SELECT 1 / 0", number, text]) }
            for _ in 0..<2 {
                let rows = try await session.pipeline([text])
                #expect(rows[0].string(0, 0) == "a")
            }
        }
    }

    @Test func aTableThatChangedUnderAStatementIsWorthARetry() async throws {
        try await withNumbers { database, session in
            try await session.execute("SELECT x FROM public.number")
            try await database.session().execute("ALTER TABLE public.number ALTER x TYPE text")
            let error = await #expect(throws: PGError.self) { try await session.execute("SELECT x FROM public.number") }
            guard case .stalePlan = error else { Issue.record("\(String(reflecting: error))"); return }
            #expect(error?.isRetryable == true)
            let rows = try await session.transaction(.snapshot) { session in
                try session.pipeline(["SELECT x FROM public.number", "SELECT count(*) FROM pg_prepared_statements"])
            }
            // Those two and BEGIN: the server forgot the rest.
            #expect(rows[1].int(0, 0) == 3)
        }
    }

    @Test func aTableThatChangedUnderAStatementFailsOnlyItsSavepoint() async throws {
        try await withNumbers { database, session in
            try await session.execute("SELECT x FROM public.number")
            try await database.session().execute("ALTER TABLE public.number ALTER x TYPE text")
            let count = try await session.transaction { session in
                try session.execute("SELECT 1")
                _ = try? session.savepoint { try $0.execute("SELECT x FROM public.number") }
                return try session.execute("SELECT count(x) FROM public.number").int(0, 0)
            }
            #expect(count == 0)
        }
    }

    @Test func aSessionTakesOnItsRole() async throws {
        try await withTestDatabase { database in
            let session = try await Session.open(database.superuserConnectionString, role: "syncserver_owner")
            #expect(try await session.execute("SELECT current_user").string(0, 0) == "syncserver_owner")
            await #expect(throws: PGError.self) {
                try await Session.open(database.superuserConnectionString, role: "no\"body; --")
            }
        }
    }

    /// The way to serve: the owner's migration makes a lesser role and joins it.
    @Test func theOwnerCanMakeTheRoleToServeIn() async throws {
        try await withTestDatabase { database in
            let role = "serving_in_\(database.name)"
            let owner = try await database.session()
            try await owner.execute(Command(Statement(unchecked: "CREATE ROLE \(role) NOLOGIN")))
            try await owner.execute(Command(Statement(unchecked: "GRANT \(role) TO CURRENT_USER")))
            try await owner.execute("CREATE TABLE public.t (x bigint)")
            let session = try await Session.open(database.connectionString, role: role)
            let error = await #expect(throws: PGError.self) { try await session.execute("TABLE public.t") }
            #expect(error?.caseName == "insufficientPrivilege")
            try await owner.execute(Command(Statement(unchecked: "GRANT SELECT ON public.t TO \(role)")))
            try await session.execute("TABLE public.t")
        }
    }

    @Test func scriptsReportTheirFirstErrorAndAreOneTransaction() async throws {
        try await withNumbers { _, session in
            let error = await #expect(throws: PGError.self) {
                try await session.runScript("INSERT INTO public.number VALUES (1);\nSELECT nonsense; SELECT 1")
            }
            #expect(error?.report?.sqlState == "42703")
            #expect(error?.report?.position == 46)
            let numbers = try await session.numbers()
            #expect(numbers == [])
            try await session.runScript(
                "INSERT INTO public.number VALUES (1); SELECT 2; ; INSERT INTO public.number VALUES (3)")
            let more = try await session.numbers()
            #expect(more == [1, 3])
            try await session.runScript("")
        }
    }

    @Test func aSessionSetsItsLimits() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            for (name, value) in [
                ("statement_timeout", "30s"), ("idle_in_transaction_session_timeout", "30s"), ("lock_timeout", "15s"),
                ("TimeZone", "UTC"), ("client_encoding", "UTF8"), ("application_name", "syncserver"),
            ] {
                let rows = try await session.execute(Command("SELECT current_setting($1)", [.text(name)]))
                #expect(rows.string(0, 0) == value)
            }
        }
    }

    private func withNumbers(_ body: (TestDatabase, Session) async throws -> Void) async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.execute("CREATE TABLE public.number (x bigint)")
            try await body(database, session)
        }
    }
}

extension Session {
    fileprivate func insert(_ x: Int64) throws {
        try execute(Command("INSERT INTO public.number VALUES ($1)", [.int(x)]))
    }

    fileprivate func numbers() throws -> [Int64] {
        let rows = try execute("SELECT x FROM public.number ORDER BY x")
        return (0..<rows.count).map { rows.int($0, 0) }
    }
}
