import SyncEngine
import SyncTestSupport
import Synchronization
import Testing
import WireFormats

@testable import SyncServer

@Suite struct TokenLineTests {
    private let token = AskedToken(hash: [1, 2, 3])

    /// The sender of a request may have just joined a space; a look-up from before then does not know that.
    @Test func aRequestIsNotAnsweredByALookUpThatBeganBeforeIt() async throws {
        let (isAsked, mayAnswer) = (Gate(), Gate())
        let questionCount = Atomic(0)
        let line = TokenLine { tokens in
            let number = questionCount.add(1, ordering: .relaxed).newValue
            isAsked.open()
            if number == 1 { await mayAnswer.wait() }
            let grant = Grant(app: nil, subject: "ada", role: .write, spaces: [])
            let valid = TokenMemory.Valid(grant: grant, since: .now, until: .now + .seconds(60))
            return number == 1 ? [:] : [tokens[0].hash: valid]
        }
        async let first = line.lookUp(token, from: "here")
        await isAsked.wait()
        async let second = line.lookUp(token, from: "here")
        async let third = line.lookUp(token, from: "there")
        try await eventually("all wait") { line.counts.waiting == 3 }
        // What is being looked up is not looked up once more only to be fresh.
        line.refresh(token)
        mayAnswer.open()
        let found = try await (first, second, third)
        #expect(found.0 == nil)
        #expect(found.1 != nil && found.2 != nil)
        #expect(line.counts.questions == 2 && line.counts.waiting == 0)
    }
}
