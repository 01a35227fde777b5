import Testing

@testable import SyncCommands

@Suite struct TerminalTests {
    /// U+009B is a control sequence's beginning in one character, to terminals that take eight bits.
    @Test(arguments: ["\u{1B}[2J", "\u{9B}2J", "\u{85}", "\u{7F}", "\r", "\u{0}"])
    func aNameCannotSteerTheTerminal(text: String) {
        let printed = Terminal.harmless("a\(text)b")
        #expect(printed.unicodeScalars.contains("\u{FFFD}"))
        #expect(!printed.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }

    @Test(arguments: ["Zoë", "a\tb\nc", "\u{A0}\u{1F600}"]) func otherTextIsPrintedAsItIs(text: String) {
        #expect(Terminal.harmless(text) == text)
    }
}
