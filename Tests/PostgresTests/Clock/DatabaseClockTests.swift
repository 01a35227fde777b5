import SyncTestSupport
import SyncTesting
import Testing
import WireFormats

@testable import Postgres

@Suite struct DatabaseClockTests {
    private static let day = Duration.seconds(86_400)

    @Test(arguments: [day, .zero, .zero - day])
    func itReturnsTheDatabasesTimeWhateverTheMachineSays(off: Duration) async throws {
        try await withTestDatabase { database in
            let session = try await database.session()
            let clock = try await DatabaseClock.start(HostClock(wall: { Timestamp.now.adding(off) }), on: session)
            let before = try await session.execute("SELECT clock_timestamp()").timestamp(0, 0)
            let between = clock.time
            let after = try await session.execute("SELECT clock_timestamp()").timestamp(0, 0)
            // It was read in a round trip, and is as uncertain.
            let tolerance = after.since(before) + .seconds(5)
            #expect(between.since(before) > .zero - tolerance && after.since(between) > .zero - tolerance)
            #expect((clock.disagreement == nil) == (off == .zero))
            if off == .zero {
                let now = try await clock.agreedTime(on: session)
                #expect(now > after)
            } else {
                await #expect(throws: ClockDisagreement.self) { try await clock.agreedTime(on: session) }
            }
        }
    }
}
