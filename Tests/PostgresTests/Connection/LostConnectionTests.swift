import Glibc
import SyncTestSupport
import SyncTesting
import Testing

@testable import Postgres

@Suite struct LostConnectionTests {
    @Test func aConnectionKilledBeforeItsCommitArrivesLeavesTheOutcomeUnknown() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let processID = await session.serverProcessID
            let killer = try await Session.open(database.superuserConnectionString)
            let error = await #expect(throws: PGError.self) {
                let begun = Gate()
                let killed = Gate()
                async let outcome: Void = session.transaction { session in
                    try session.execute("SELECT 1")
                    begun.open()
                    killed.block()
                    try session.commitPipeline(["SELECT 2"])
                }
                await begun.wait()
                try await killer.terminate(processID)
                killed.open()
                try await outcome
            }
            // COMMIT had been sent, so only the server knows.
            #expect(error?.caseName == "commitUnknown")
            #expect(!session.isUsable)
        }
    }

    @Test func aConnectionKilledDuringAStatementIsLost() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let error = await #expect(throws: PGError.self) {
                try await session.transaction { session in
                    try session.execute("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(10)")
                }
            }
            #expect(error?.caseName == "connectionLost")
            #expect(error?.isRetryable == true)
            #expect(!session.isUsable)
            let later = await #expect(throws: PGError.self) { try await session.execute("SELECT 1") }
            #expect(later?.caseName == "connectionLost")
        }
    }

    @Test func theOutcomeOfAnInterruptedCommitIsUnknown() async throws {
        try await withTestDatabase { database in
            let owner = try await Session.open(database.superuserConnectionString)
            try await owner.runScript(
                """
                CREATE TABLE public.t (x bigint);
                CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(10); RETURN NULL; END $$;
                CREATE CONSTRAINT TRIGGER die AFTER INSERT ON public.t DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION public.die();
                """)
            for lastWords in [false, true] {
                let session = try await Session.open(database.superuserConnectionString)
                let error = await #expect(throws: PGError.self) {
                    try await session.transaction { session in
                        if lastWords {
                            try session.commitPipeline(["INSERT INTO public.t VALUES (1)"])
                        } else {
                            try session.execute("INSERT INTO public.t VALUES (1)")
                        }
                    }
                }
                #expect(error?.caseName == "commitUnknown")
                #expect(error?.isRetryable == false)
            }
        }
    }

    @Test func aReadThatIsInterruptedAtCommitIsMerelyLost() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let error = await #expect(throws: PGError.self) {
                try await session.transaction(.snapshot) { session in
                    try session.commitPipeline(["SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(10)"])
                }
            }
            #expect(error?.caseName == "connectionLost")
        }
    }

    @Test func aServerThatFallsSilentIsGivenUp() async throws {
        try await withTestDatabase { database in
            var settings = SessionSettings.serving
            // Longer than a busy machine takes to let the session in.
            settings.silenceMax = .seconds(2)
            let session = try await database.session(settings: settings)
            let processID = await session.serverProcessID
            kill(processID, SIGSTOP)
            let error = await #expect(throws: PGError.self) { try await session.execute("SELECT 1") }
            kill(processID, SIGCONT)
            #expect(error?.caseName == "connectionLost")
            #expect(!session.isUsable)
        }
    }

    @Test func aClosedSessionRefusesWork() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            await session.close()
            let error = await #expect(throws: PGError.self) { try await session.execute("SELECT 1") }
            #expect(error?.caseName == "connectionLost")
        }
    }
}

extension Session {
    /// Ends another session's server process, and waits until it is gone.
    func terminate(_ processID: Int32) async throws {
        let target: [Parameter] = [.int(Int64(processID))]
        try execute(Command("SELECT pg_terminate_backend($1::integer)", target))
        try await eventually("process \(processID) ended") {
            try execute(Command("SELECT FROM pg_stat_activity WHERE pid = $1::integer", target)).count == 0
        }
    }
}
