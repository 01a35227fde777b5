import StrictJSON
import Testing
import WireFormats

struct ValueNULTests {
    @Test func stringsHoldNULAsACharacter() {
        #expect(Value.string("a\0b").containsNUL)
        #expect(!Value.string("\\u0000").containsNUL)
        #expect(!Value.string("").containsNUL)
        #expect(!Value.data([0]).containsNUL)
        #expect(!Value.int(0).containsNUL)
    }

    @Test(arguments: [
        (#""\u0000""#, true), (#"{"\u0000":1}"#, true), (#"["\\\u0000"]"#, true), (#"["\\u0000"]"#, false),
        (#"["\\\\u0000"]"#, false), (#"["\u0001","\u0010"]"#, false), (#"["u0000"]"#, false), (#"["\u000"#, false),
        (#"["\"\u0000\""]"#, true), ("[0,0.0]", false),
    ])
    func jsonTextHoldsNULAsAnEscape(_ text: String, _ expected: Bool) {
        #expect(Value.json(text).containsNUL == expected)
    }

    @Test(arguments: SeededRandom.seeds)
    func nodesAndTheirCanonicalTextsAgree(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var found = 0
        for _ in 0..<2_000 {
            let tree = JSONTree.random(depth: 2, using: &random)
            let node = try JSONDocument(parsing: tree.wildText(using: &random)).root
            #expect(Value.json(node.canonicalText()).containsNUL == node.containsNUL)
            if node.containsNUL { found += 1 }
        }
        #expect(found > 10)
    }
}
