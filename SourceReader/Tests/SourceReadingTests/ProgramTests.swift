import Foundation
import SourceFacts
import SourceReading
import Testing

/// The program, run as a process.
@Suite struct ProgramTests {
    private struct Run {
        var status: Int32
        var output: Data
        var error: String

        var facts: SourceFacts { get throws { try JSONDecoder().decode(SourceFacts.self, from: output) } }
    }

    private func run(_ arguments: [String], in folder: URL? = nil) throws -> Run {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try process.run()
        // Errors are one sentence, and fit into the pipe's buffer.
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        let said = try error.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Run(status: process.terminationStatus, output: printed, error: String(decoding: said, as: UTF8.self))
    }

    @Test func aFolderIsReadInOrderWithoutWhatIsNotOurs() throws {
        try withFolder { folder in
            for path in ["b.swift", "A/z.swift", "A/B/a.swift", "c.txt", "a.swift"] {
                try folder.write("struct S {}", to: path)
            }
            for path in [".build/x.swift", ".h.swift", "Pods/x.swift", "A/Carthage/x.swift", "DerivedData/x.swift"] {
                try folder.write("struct No {}", to: path)
            }
            let run = try run([folder.path])
            #expect(run.status == 0)
            #expect(run.error == "")
            let facts = try run.facts
            #expect(facts.files == ["A/B/a.swift", "A/z.swift", "a.swift", "b.swift"])
            #expect(facts.types.map(\.location.file) == facts.files)
            #expect(facts.problems == [])
            #expect(run.output.starts(with: Data(#"{"documents":[],"files":["A/B/a.swift""#.utf8)))
        }
    }

    /// Models are found among other files, also in a folder whose hidden files are skipped. A bundle that is named
    /// itself keeps its name.
    @Test func modelsOfCoreDataAreRead() throws {
        try withFolder { folder in
            for path in [
                "App/App.xcdatamodeld/App.xcdatamodel/contents", "App/App.xcdatamodeld/App 2.xcdatamodel/contents",
                "App/App.xcdatamodeld/.xccurrentversion", "App/App.xcdatamodeld/App 2.xcdatamodel/layout",
                "App/contents", "App/.xccurrentversion", "App/Lone.xcdatamodel/contents",
                "App/1To2.xcmappingmodel/xcmapping.xml", "App/1To2.xcmappingmodel/other.xml",
                "Pods/A.xcdatamodel/contents",
            ] {
                try folder.write("<model a='b'/>", to: path)
            }
            try folder.write("struct S {}", to: "App/a.swift")
            try folder.write("bplist", to: "App/Old.xcdatamodel/elements")
            let facts = try run([folder.path]).facts
            let bundle = [
                ".xccurrentversion", "App 2.xcdatamodel/contents", "App.xcdatamodel/contents",
            ].map { "App.xcdatamodeld/\($0)" }
            #expect(
                facts.files.map { String($0.dropFirst(4)) }
                    == ["1To2.xcmappingmodel/xcmapping.xml"] + bundle + ["Lone.xcdatamodel/contents", "a.swift"])
            #expect(facts.documents.map(\.file) == facts.files.dropLast())
            #expect(facts.problems.map(\.location.file) == ["App/Old.xcdatamodel"])
            #expect(facts.problems.first?.message.contains("before Xcode 4") == true)
            #expect(try run(["App/App.xcdatamodeld"], in: folder).facts.files == bundle)
            #expect(try run(["App/Lone.xcdatamodel/"], in: folder).facts.files == ["Lone.xcdatamodel/contents"])
            try folder.write("<model>", to: "App/Lone.xcdatamodel/contents")
            let broken = try run(["App/Lone.xcdatamodel"], in: folder)
            #expect(broken.status == 1)
            #expect(broken.error.contains("Lone.xcdatamodel/contents:1: The file is no XML"), "\(broken.error)")
        }
    }

    @Test func namesAreRelativeToTheFolderGiven() throws {
        try withFolder { folder in
            try folder.write("struct S {}", to: "Models/A/a.swift")
            try folder.write("struct S {}", to: "Other/b.swift")
            #expect(try run(["Models/A/a.swift", "Models"], in: folder).facts.files == ["a.swift"])
            #expect(try run(["Models"], in: folder).facts.files == ["A/a.swift"])
            #expect(try run(["Models", "Other"], in: folder).facts.files == ["A/a.swift", "../Other/b.swift"])
            let named = ["Models/A/a.swift", "Other/b.swift"]
            #expect(try run(["--relative-to", ".", "Models", "Other"], in: folder).facts.files == named)
            #expect(
                try run(["--relative-to=\(folder.path)", "--", "Models", "Other"], in: folder).facts.files == named)
        }
    }

    @Test func linksAreNotFollowed() throws {
        try withFolder { folder in
            try folder.write("struct S {}", to: "tree/A/a.swift")
            try folder.write("struct S {}", to: "else/b.swift")
            for (link, target) in [("loop", "tree"), ("again.swift", "tree/A/a.swift"), ("out", "else"), ("gone", "x")]
            {
                try FileManager.default.createSymbolicLink(
                    at: folder.appendingPathComponent("tree/\(link)"),
                    withDestinationURL: folder.appendingPathComponent(target))
            }
            let facts = try run([folder.appendingPathComponent("tree").path]).facts
            #expect(facts.files == ["A/a.swift"])
            #expect(facts.problems.map(\.location.file) == ["out"])
            let link = folder.appendingPathComponent("tree/out").path
            #expect(try run([link]).facts.files == ["b.swift"])
        }
    }

    @Test func filesThatCannotBeReadAreProblemsAmongOthers() throws {
        try withFolder { folder in
            try folder.write("struct A {}", to: "a.swift")
            try Data([0xff, 0xfe, 0x00]).write(to: folder.appendingPathComponent("b.swift"))
            try folder.write("struct C {", to: "c.swift")
            let run = try run([folder.path])
            #expect(run.status == 0)
            #expect(try run.facts.files == ["a.swift", "c.swift"])
            #expect(try run.facts.problems.map(\.location.description) == ["b.swift", "c.swift:1"])
        }
    }

    /// Returns the facts of a folder whose middle file is `text`, for `count` such folders.
    private func facts(amid text: String, count: Int, timeLimitSeconds: Int) throws -> SourceFacts {
        try withFolder { folder in
            try folder.write("struct A {}", to: "a.swift")
            try folder.write(String(repeating: text, count: count), to: "b.swift")
            try folder.write("struct C {}", to: "c.swift")
            let files = ["a", "b", "c"].map { name in
                SourceFile(path: folder.appendingPathComponent("\(name).swift").path, name: name)
            }
            return try ReadingProcess(program: program, timeLimitSeconds: timeLimitSeconds).facts(of: files)
        }
    }

    @Test(arguments: ["A<", "if ", "repeat ", "switch x { case "])
    func aFileAtWhichTheParserCrashesIsAProblemAmongOthers(text: String) throws {
        let facts = try facts(amid: text, count: 200_000, timeLimitSeconds: 60)
        #expect(facts.files == ["a", "c"])
        #expect(facts.types.map(\.name) == ["A", "C"])
        #expect(facts.problems.map(\.location.description) == ["b"])
        #expect(facts.problems.first?.message.hasPrefix("The parser crashed at the file") == true)
    }

    /// The code that formats errors traps for a byte order mark in the middle: ‘A Fix-It must have at least one
    /// change’.
    @Test func aFileWhoseErrorsCannotBeWordedIsReadAllTheSame() throws {
        let facts = try facts(amid: "struct B { var a =\u{FEFF} Date.now }", count: 1, timeLimitSeconds: 60)
        #expect(facts.files == ["a", "b", "c"])
        #expect(facts.types.map(\.name) == ["A", "B", "C"])
        #expect(facts.problems.map(\.location.description) == ["b"])
        #expect(facts.problems.map(\.message) == ["Syntax error: the compiler says where."])
    }

    /// At each bracket the parser looks ahead to see if a type begins, so each bracket doubles the time.
    @Test func aFileThatTakesTheParserForeverIsAProblemAmongOthers() throws {
        let facts = try facts(amid: "[", count: 1_000, timeLimitSeconds: 2)
        #expect(facts.files == ["a", "c"])
        #expect(facts.problems.map(\.location.description) == ["b"])
        #expect(facts.problems.first?.message.hasPrefix("The file takes longer than 2 s") == true)
    }

    @Test(arguments: ["{", "a.", "x: A<", "#if A\n", "@A ", "a -> ", "try ", "\\", "<<<<<<< A\n", "\"\\(", "any "])
    func otherRepetitionsAreReadOrAProblem(text: String) throws {
        let facts = try facts(amid: text, count: 2_000, timeLimitSeconds: 10)
        #expect(Set(facts.files).isSuperset(of: ["a", "c"]))
        #expect(facts.problems.contains { $0.location.file == "b" })
    }

    @Test func whatIsNotThereIsSaid() throws {
        try withFolder { folder in
            try folder.write("struct A {}", to: "a.swift")
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("empty"), withIntermediateDirectories: true)
            try Data([0xff]).write(to: folder.appendingPathComponent("empty.swift"))
            for (arguments, status, words) in [
                (["no.swift"], 1, "nothing at ‘no.swift’"), (["empty"], 1, "no Swift file in ‘empty’"),
                (["a.swift", "no"], 1, "nothing at ‘no’"), (["empty.swift"], 1, "UTF-8"),
                (["/dev/null"], 1, "neither a file nor a folder"), ([], 2, "PATH…"),
                (["--relative-to"], 2, "takes a folder"), (["--relative-to", "a.swift", "a.swift"], 1, "is no folder"),
                (["--no", "a.swift"], 2, "no option ‘--no’"),
            ] as [([String], Int32, String)] {
                let run = try run(arguments, in: folder)
                #expect(run.status == status, "\(arguments)")
                #expect(run.output.isEmpty, "\(arguments)")
                #expect(run.error.hasPrefix("syncserver-sources: ") && run.error.contains(words), "\(run.error)")
            }
        }
    }

    @Test func helpIsPrinted() throws {
        let run = try run(["--help"])
        #expect(run.status == 0)
        #expect(String(decoding: run.output, as: UTF8.self).contains("--relative-to FOLDER"))
    }
}
