import PGStore
import SyncTestSupport
import Testing

@Suite struct SessionTests {
    @Test func aTransactionCommitsWhenItsBodyReturns() async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            try await session.execute("CREATE TABLE public.t (x bigint)")
            try await session.transaction { session in
                try session.execute(Command("INSERT INTO public.t VALUES ($1)", [.int(7)]))
            }
            let other = try await database.session()
            #expect(try await other.execute("SELECT x FROM public.t").int(0, 0) == 7)
        }
    }
}
