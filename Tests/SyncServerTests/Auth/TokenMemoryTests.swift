import SyncEngine
import Testing
import WireFormats

@testable import SyncServer

@Suite struct TokenMemoryTests {
    private static let hash: [UInt8] = [1, 2, 3]

    private static func found(at now: ContinuousClock.Instant) -> [[UInt8]: TokenMemory.Valid] {
        let grant = Grant(app: nil, subject: "ada", role: .write, spaces: [])
        return [hash: TokenMemory.Valid(grant: grant, since: now, until: now + .seconds(60))]
    }

    private static func isAskedAgain(_ memory: TokenMemory) -> Bool {
        if case .nothing(wasValid: true) = memory.knowledge(of: hash, at: .now) { true } else { false }
    }

    /// The device joins a space while its token is looked up for another request: that answer may be from before.
    @Test func aLookUpFromBeforeAChangeOfRightsIsNotUsedAfterIt() {
        let (memory, asked) = (TokenMemory(), ContinuousClock.now)
        memory.outdate(Self.hash)
        memory.keep(Self.found(at: asked), of: [Self.hash], asked: asked)
        #expect(Self.isAskedAgain(memory))
        let later = ContinuousClock.now
        memory.keep(Self.found(at: later), of: [Self.hash], asked: later)
        #expect(!Self.isAskedAgain(memory))
    }

    @Test func aTokenThatWasUnknownBeforeTheChangeIsNotRefusedAfterIt() {
        let (memory, asked) = (TokenMemory(), ContinuousClock.now)
        memory.outdate(Self.hash)
        memory.keep([:], of: [Self.hash], asked: asked)
        if case .invalid = memory.knowledge(of: Self.hash, at: .now) { Issue.record("It is taken for invalid.") }
    }
}
