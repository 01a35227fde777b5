import Foundation
import SourceFacts
import SourceReading
import Testing

/// Random changes of a file: the reader returns facts, and they survive a round trip through JSON.
@Suite struct MutationTests {
    private static let fragments = [
        "(", ")", "[", "]", "{", "}", "<", ">", "\"", "\"\"\"", "\\(", "#", "#if ", "#else\n", "#endif\n", "@", "`",
        "/*",
        "*/", "//", "\n", "\r", "\0", ".", "..", "?", "!", ":", "=", ",", "let ", "var ", "case ", "enum ", "class ",
        "in ",
        "0x", "1_", "👋", "\u{FEFF}", "<<<<<<< A\n", "<#", "#>", "\\", "\\u{", "#\"", "->", "&", "any ", "self", "get {",
    ]

    /// MUTATION_SEED repeats a run, and MUTATIONS sets the number of changes.
    @Test func noMutilatedFileEndsTheProcess() throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["MUTATION_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        let count = environment["MUTATIONS"].flatMap { Int($0) } ?? 500
        // The seed is printed before the run, because a trap leaves no time to print it.
        print("MUTATION_SEED=\(seed)")
        var random = SeededRandom(state: seed)
        let texts = (0..<count).map { _ in MutationTests.mutated(&random) }
        for text in texts {
            let facts = SourceReader.facts(text: text, name: "a.swift", errors: .mentioned)
            #expect(facts.files == ["a.swift"], "MUTATION_SEED=\(seed)")
            let json = try JSONEncoder().encode(facts)
            #expect(try JSONDecoder().decode(SourceFacts.self, from: json) == facts, "MUTATION_SEED=\(seed)")
        }
        // The code that formats syntax errors does trap, and the program continues.
        try withFolder { folder in
            let files = try texts.enumerated().map { index, text in
                try folder.write(text, to: "\(index).swift")
                return SourceFile(path: folder.appendingPathComponent("\(index).swift").path, name: "\(index).swift")
            }
            let facts = try ReadingProcess(program: program).facts(of: files)
            #expect(facts.files == files.map(\.name), "MUTATION_SEED=\(seed)")
        }
    }

    /// Reads every prefix of a file, as if the file were being written.
    @Test func everyBeginningOfAFileIsRead() {
        let text = Sample.text
        for end in text.indices {
            let facts = SourceReader.facts(text: String(text[..<end]), name: "a.swift", errors: .mentioned)
            #expect(facts.files == ["a.swift"])
        }
    }

    private static func mutated(_ random: inout SeededRandom) -> String {
        var text = Array(Sample.text)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let start = Int.random(in: 0...text.count, using: &random)
            let end = min(text.count, start + Int.random(in: 0...30, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: text.removeSubrange(start..<end)
            case 1: text.insert(contentsOf: fragments.randomElement(using: &random) ?? "", at: start)
            case 2: text.replaceSubrange(start..<end, with: fragments.randomElement(using: &random) ?? "")
            case 3: text.insert(contentsOf: text[start..<end], at: Int.random(in: 0...text.count, using: &random))
            default: text.removeSubrange(end...)
            }
        }
        return String(text)
    }
}

/// A SplitMix64 generator: equal numbers for equal seeds on every machine.
private struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
