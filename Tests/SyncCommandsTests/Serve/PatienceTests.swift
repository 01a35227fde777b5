import Testing

@testable import SyncCommands

/// Tests of the conditions and times that a stopping server waits for.
@Suite struct PatienceTests {
    @Test func workThatEndsIsWaitedFor() async {
        #expect(await Patience.wait(atMost: .seconds(300)) { await Task.yield() })
    }

    @Test func workThatNeverEndsIsLeftAlone() async {
        let (never, continuation) = AsyncStream<Void>.makeStream()
        let hasEnded = await Patience.wait(atMost: .milliseconds(20)) { for await _ in never {} }
        #expect(!hasEnded)
        continuation.finish()
    }
}
