package import Foundation
internal import SourceFacts

/// The command `syncserver-sources PATH…`.
package struct ReadCommand {
    package static let help = """
        syncserver-sources [--relative-to FOLDER] PATH…

        Prints what Swift files declare, and what Core Data models say, as one JSON object. Each PATH is a file, an
        .xcdatamodeld, or a folder to be searched for both; hidden folders, Pods, Carthage and DerivedData are
        skipped, and symbolic links not followed.

          --relative-to FOLDER   names files from here; otherwise from the folder of the first PATH
          --help                 prints this

        Files that cannot be read, and syntax errors, are among ‘problems’ in what is printed.
        Exit status: 0 done; 1 a PATH is not there, or no file could be read; 2 wrong usage.

        """

    var paths: [String] = []
    var folder: String?
    var isHelp = false

    /// Reads a command line, without the program's name.
    package init(_ arguments: [String]) throws(ReadFailure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--": (paths, rest) = (paths + rest, [])
            case "--help", "-h": isHelp = true
            case "--relative-to":
                guard let value = rest.popFirst() else { throw .usage("--relative-to takes a folder.") }
                folder = value
            case _ where argument.hasPrefix("--relative-to="): folder = String(argument.dropFirst(14))
            case _ where argument.hasPrefix("-"):
                throw .usage("There is no option ‘\(argument)’: see syncserver-sources --help.")
            default: paths.append(argument)
            }
        }
        guard isHelp || !paths.isEmpty else {
            throw .usage("Say what to read: syncserver-sources PATH…, each a Swift file or a folder of them.")
        }
    }

    /// Returns the output of the command.
    package func output(with reading: ReadingProcess) throws -> Data {
        if isHelp { return Data(ReadCommand.help.utf8) }
        let found = try SourcePaths(paths, relativeTo: folder)
        var facts = try reading.facts(of: found.files)
        facts.problems = found.problems + facts.problems
        guard !facts.files.isEmpty else {
            guard let problem = facts.problems.first else { throw ReadFailure.noFiles(paths) }
            throw ReadFailure.nothingRead("\(problem.location): \(problem.message)")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(facts) + [UInt8(ascii: "\n")]
    }

    /// Runs the program, and returns its exit status.
    package static func main(_ arguments: [String], program: URL) -> Int32 {
        do {
            if arguments.first == ReadingProcess.argument, let limit = arguments.last.flatMap({ Int($0) }) {
                return try ReadingProcess.main(timeLimitSeconds: limit)
            }
            let output = try ReadCommand(arguments).output(with: ReadingProcess(program: program))
            try FileHandle.standardOutput.write(contentsOf: output)
            return 0
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("syncserver-sources: \(error)\n".utf8))
            return (error as? ReadFailure)?.status ?? 1
        }
    }
}
