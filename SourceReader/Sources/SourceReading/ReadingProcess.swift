package import Foundation
package import SourceFacts

/// Reads files in child processes of this program, so that a file at which the parser crashes, or hangs, is only one
/// problem among others. One process reads all files; if a file ends it, another continues.
package struct ReadingProcess: Sendable {
    /// The path of `syncserver-sources` itself.
    package let program: URL
    /// The time limit for each file, in seconds. A file of the largest size takes some seconds.
    package let timeLimitSeconds: Int

    package init(program: URL, timeLimitSeconds: Int = 60) {
        self.program = program
        self.timeLimitSeconds = timeLimitSeconds
    }

    /// The first argument of a child process; the second is its time limit. It reads a list of files from its standard
    /// input.
    static let argument = "--read-list"

    /// The exit status of a process whose time limit passed.
    private static let tooSlow: Int32 = 75

    /// Returns the declarations of all files, in the files' order.
    ///
    /// - Throws: if the program cannot be started.
    package func facts(of files: [SourceFile]) throws -> SourceFacts {
        var all = SourceFacts()
        var rest = files[...]
        while !rest.isEmpty {
            let (read, status) = try run(rest, errors: .located)
            read.forEach { ReadingProcess.add($0, to: &all) }
            rest = rest.dropFirst(read.count)
            guard let culprit = rest.popFirst() else { break }
            // Often the cause is not the parser, but the code that formats its errors.
            if let facts = try run([culprit], errors: .mentioned).read.first {
                ReadingProcess.add(facts, to: &all)
            } else {
                let message =
                    status == ReadingProcess.tooSlow
                    ? "The file takes longer than \(timeLimitSeconds) s to read" : "The parser crashed at the file"
                all.problems.append(
                    SourceFacts.Problem(
                        location: SourceLocation(file: culprit.name, line: 0),
                        message: message + ": move the models into one of their own."))
            }
        }
        return all
    }

    private static func add(_ facts: SourceFacts, to all: inout SourceFacts) {
        all.files += facts.files
        all.types += facts.types
        all.documents += facts.documents
        all.problems += facts.problems
    }

    /// The input of a child process.
    private struct Order: Codable {
        var files: [SourceFile]
        var errors: SyntaxProblems.Detail
    }

    /// Returns the facts that one process reads before it ends.
    private func run(_ files: ArraySlice<SourceFile>, errors: SyntaxProblems.Detail) throws -> (
        read: [SourceFacts], status: Int32
    ) {
        let process = Process()
        process.executableURL = program
        process.arguments = [ReadingProcess.argument, String(timeLimitSeconds)]
        // Some files are expected to cause crashes. A crash report would take seconds, and not help users.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        process.standardError = FileHandle.nullDevice
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // The process reads the whole list before it writes anything.
        try input.fileHandleForWriting.write(
            contentsOf: JSONEncoder().encode(Order(files: Array(files), errors: errors)))
        try input.fileHandleForWriting.close()
        let lines = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // An incomplete line is not read.
        let read = lines.split(separator: UInt8(ascii: "\n")).prefix { line in line.last == UInt8(ascii: "}") }
            .compactMap { try? JSONDecoder().decode(SourceFacts.self, from: $0) }
        return (Array(read.prefix(files.count)), process.terminationStatus)
    }

    /// Runs the child process: writes a line of JSON for each file of the list in its standard input.
    static func main(timeLimitSeconds: Int) throws -> Int32 {
        let list = try FileHandle.standardInput.readToEnd() ?? Data()
        let order = try JSONDecoder().decode(Order.self, from: list)
        for file in order.files {
            let work = LargeStack { SourceReader.read(file, errors: order.errors) }
            guard let facts = work.wait(TimeInterval(timeLimitSeconds)) else { return tooSlow }
            try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(facts) + [UInt8(ascii: "\n")])
        }
        return 0
    }
}
