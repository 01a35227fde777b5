import Foundation
import SourceFacts
import SourceReading
import Testing

import struct SourceFacts.SourceLocation

@Suite struct ProblemTests {
    private func problem(_ content: Data) throws -> SourceFacts.Problem {
        try withFolder { folder in
            let file = folder.appendingPathComponent("a.swift")
            try content.write(to: file)
            let facts = SourceReader.facts(of: SourceFile(path: file.path, name: "a.swift"))
            #expect(facts.files == [])
            return try #require(facts.problems.first)
        }
    }

    @Test(arguments: [
        ("struct A {\n  var a: =\n}\nstruct B {}", 2), ("struct B {}\nvar x =\n", 2), ("struct B {}\n)", 2),
        ("<<<<<<< HEAD\nstruct B {}\n=======\nstruct C {}\n>>>>>>> other\n", 1),
        ("#if os(iOS)\nclass A: B {\n#else\nclass A: C {\n#endif\n}", 2), ("struct B {}\nlet a = \"b\n", 2),
    ])
    func aSyntaxErrorHasItsLine(text: String, line: Int) throws {
        let facts = facts(text)
        #expect(facts.files == ["a.swift"])
        let first = try #require(facts.problems.map(\.location.line).min())
        #expect(first == line, "\(facts.problems)")
        #expect(facts.problems.allSatisfy { $0.message.hasPrefix("Syntax error: ") && $0.message.hasSuffix(".") })
    }

    @Test func theRestOfABrokenFileIsRead() {
        let facts = facts("struct A {\n  var a: =\n  var b: Int\n}\nstruct B {}")
        #expect(facts.types.map(\.name) == ["A", "B"])
        #expect(facts.types.first?.properties.map(\.name).contains("b") == true)
    }

    @Test func manySyntaxErrorsAreCutShort() {
        let facts = facts(String(repeating: "struct A { var a: = }\n", count: 100))
        #expect(facts.problems.count == 20)
        #expect(facts.problems.last?.message.hasSuffix("More syntax errors follow.") == true)
    }

    @Test func aFileOfAnotherEncodingIsAProblem() throws {
        let problem = try problem(Data("struct Ä {}".utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }))
        #expect(problem.location == SourceLocation(file: "a.swift", line: 0))
        #expect(problem.message.contains("UTF-8"))
    }

    @Test func aFileThatIsTooLargeIsAProblem() throws {
        let content = Data(repeating: UInt8(ascii: "\n"), count: SourceReader.fileSizeMaxBytes + 1)
        #expect(try problem(content).message.contains("8 MiB"))
    }

    @Test func aFileThatIsGoneIsAProblem() {
        let facts = SourceReader.facts(of: SourceFile(path: "/nowhere/a.swift", name: "a.swift"))
        #expect(facts.problems.first?.message.hasPrefix("The file cannot be read: ") == true)
    }

    @Test func linesCountHoweverTheyEnd() throws {
        for ending in ["\n", "\r\n", "\r"] {
            let type = try type("\u{FEFF}// One.\(ending)struct A {\(ending)\(ending)  var 👋: Int = 1\(ending)}")
            #expect(type.comment == "One.")
            #expect(type.location.line == 2)
            #expect(type.properties.map(\.location.line) == [4])
            #expect(type.properties.map(\.name) == ["👋"])
        }
    }

    @Test(arguments: [("", 0), ("\u{FEFF}", 0), ("\0struct A {}\0", 1), ("#!/bin/x\nstruct A {}", 1), ("// one", 0)])
    func oddFilesAreRead(text: String, types: Int) {
        #expect(facts(text).types.count == types)
    }

    @Test func whatIsNestedDeeperThanReadersTakeIsKeptAsText() throws {
        func nested(_ count: Int) -> String {
            String(repeating: "f(", count: count) + "1" + String(repeating: ")", count: count)
        }
        #expect(facts("struct A { var a = \(nested(63)) }").problems == [])
        let deep = facts("struct A { var a = \(nested(64)) }")
        #expect(deep.problems.count == 1)
        let generic = String(repeating: "F<", count: 32) + "G" + String(repeating: ">", count: 32)
        let type = facts("struct A { var a: \(generic) }")
        #expect(type.problems.count == 1)
        let types = facts(String(repeating: "struct A {", count: 40) + String(repeating: "}", count: 40))
        #expect(types.problems.count == 1)
        for facts in [deep, type, types] {
            #expect(try JSONDecoder().decode(SourceFacts.self, from: JSONEncoder().encode(facts)) == facts)
        }
    }

    @Test func aFileWithTooManyLevelsIsAProblem() {
        let facts = facts("struct A {}\nlet a = b" + String(repeating: ".c", count: 5_000))
        #expect(facts.types == [])
        #expect(facts.problems.first?.message.contains("nested too deeply") == true)
    }

    @Test func anEnormousLiteralIsRead() throws {
        let text = String(repeating: "x", count: 1 << 20)
        #expect(try value("\"\(text)\"") == .string(text))
        let list = String(repeating: "1,", count: 20_000)
        guard case .array(let elements) = try value("[\(list)]") else {
            Issue.record("no array")
            return
        }
        #expect(elements.count == 20_000)
    }
}
