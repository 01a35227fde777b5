import Testing
import WireFormats

struct IDTextTests {
    @Test func anyCaseIsReadAndLowerCaseIsWritten() {
        let id = ID(high: 0x0B0F_7F0E_ABCD_4EF0, low: 0x8123_4567_89AB_CDEF)
        let text = "0b0f7f0e-abcd-4ef0-8123-456789abcdef"
        #expect(id.description == text)
        #expect(ID(text) == id)
        #expect(ID(text.uppercased()) == id)
        #expect(ID("0B0F7f0e-aBcD-4eF0-8123-456789ABCDef") == id)
    }

    @Test(arguments: [
        "", "0b0f7f0eabcd4ef08123456789abcdef", "{0b0f7f0e-abcd-4ef0-8123-456789abcdef}",
        "urn:uuid:0b0f7f0e-abcd-4ef0-8123-456789abcdef", "0b0f7f0e-abcd-4ef0-8123-456789abcde",
        "0b0f7f0e-abcd-4ef0-8123-456789abcdef0", "0b0f7f0e-abcd-4ef0-8123-456789abcdeg",
        "0b0f7f0e-abcd-4ef08-123-456789abcdef",
        "0b0f7f0e_abcd-4ef0-8123-456789abcdef", " b0f7f0e-abcd-4ef0-8123-456789abcdef",
        "0b0f7f0e-abcd-4ef0-8123-456789abcd\u{E9}",
        "------------------------------------", "０b0f7f0e-abcd-4ef0-8123-456789abcd",
    ])
    func otherFormsAreRefused(_ text: String) { #expect(ID(text) == nil) }

    @Test(arguments: SeededRandom.seeds)
    func textsReadBackAndSortAsIdentitiesDo(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var last = ID(high: 0, low: 0)
        for _ in 0..<10_000 {
            let id = ID(high: random.next(), low: random.next())
            #expect(ID(id.description) == id)
            #expect((id < last) == (id.description < last.description))
            last = id
        }
    }

    @Test func randomIdentitiesAreOfVersionFour() {
        let text = Array(ID.random().description)
        #expect(text[14] == "4")
        #expect("89ab".contains(text[19]))
    }
}
