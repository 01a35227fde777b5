import PGMigrations
import Postgres

/// The parsed options and arguments of a command line. Options have the forms `--name value`, `--name=value` and
/// `--flag`; arguments have no dashes. If an option's value is optional, the next word is its value only if it has no
/// dashes. After `--`, every word is an argument.
package struct Options {
    package private(set) var positional: [String] = []
    private(set) var values: [String: [String]] = [:]
    private(set) var flags: Set<String> = []
    /// The contents that the configuration file gives directly for an option that takes a file's path, by the option's
    /// name.
    private(set) var documents: [String: Document] = [:]

    /// - Throws: `UsageError` if an option is unknown or lacks its value, or if there are too few or too many
    ///   arguments.
    init(_ words: [String], of path: CommandPath) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            // An empty word, from an unset variable, would mean something else, such as the working directory.
            if word.isEmpty { throw UsageError("An argument of ‘\(path.words)’ is empty.") }
            guard word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            if word == "--" {
                positional += rest
                break
            }
            try read(option: word, &rest, of: path)
        }
        try checkCount(of: path)
    }

    private mutating func read(
        option word: String, _ rest: inout ArraySlice<String>, of path: CommandPath
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let stated = parts.count == 2 ? parts[1] : nil
        guard let option = path.command.options.first(where: { $0.word == parts[0] }) else {
            throw Options.unknown(parts[0], of: path)
        }
        guard let value = option.value else {
            guard stated == nil else { throw UsageError("‘\(option.word)’ takes no value.") }
            flags.insert(option.name)
            return
        }
        if value.isOptional, stated == nil, rest.first?.hasPrefix("-") != false {
            flags.insert(option.name)
            return
        }
        let text = stated ?? rest.popFirst()
        try value.kind.check(text, of: option)
        guard let text else {
            throw UsageError("‘\(option.word)’ needs a value: \(option.word)\(option.valueUsage).")
        }
        if text.isEmpty { throw UsageError("The value of ‘\(option.word)’ is empty.") }
        values[option.name, default: []].append(text)
    }

    /// Adds a value from the configuration file, unless the option is given on the command line.
    mutating func fill(_ option: OptionSpec, with stated: ConfigurationFile.Value) {
        guard values[option.name] == nil, !flags.contains(option.name) else { return }
        switch stated {
        case .flag(let isSet): if isSet { flags.insert(option.name) }
        case .text(let text): values[option.name] = [text]
        case .document(let document): documents[option.name] = document
        }
    }

    /// Returns the names of the options whose values here differ from their values in `other`.
    func differences(from other: Options) -> Set<String> {
        let names = [values.keys, other.values.keys].joined().filter { values[$0] != other.values[$0] }
        let written = [documents.keys, other.documents.keys].joined().filter { documents[$0] != other.documents[$0] }
        return Set(names).union(written).union(flags.symmetricDifference(other.flags))
    }

    /// Reads the file whose path is the option's value; or returns the contents that the configuration file has in
    /// place of the path. `nil` if the option is not given.
    func document(_ name: String) throws(FileError) -> Document? {
        if let document = documents[name] { return document }
        guard let path = self[name] else { return nil }
        return Document(source: path, bytes: try Files.settings(at: path))
    }

    /// The contents of a file, or of a part of the configuration file, with the name of the source for error messages.
    struct Document: Sendable, Equatable {
        let source: String
        let bytes: [UInt8]
    }

    /// Makes the error for an unknown option, which suggests the most similar option.
    static func unknown(_ word: String, of path: CommandPath) -> UsageError {
        let near = NearestWord.of(word, among: path.command.allOptions.map(\.word))
        let suggestion = near.map { " Did you mean ‘\($0)’?" } ?? ""
        return UsageError("‘\(path.words)’ has no option ‘\(word)’.\(suggestion) See ‘\(path.words) --help’.")
    }

    private func checkCount(of path: CommandPath) throws(UsageError) {
        let arguments = path.command.arguments
        let countMin = arguments.count(where: \.isRequired)
        let countMax = arguments.contains(where: \.isRepeated) ? .max : arguments.count
        if positional.count < countMin {
            // Optional arguments are filled last.
            let missing = arguments.filter(\.isRequired).dropFirst(positional.count).map(\.name)
            throw UsageError("\(missing.joined(separator: " and ")) is missing: \(HelpText.usage(of: path))")
        }
        if positional.count > countMax {
            throw UsageError("‘\(positional[countMax])’ is one word too many: \(HelpText.usage(of: path))")
        }
    }

    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The last value given for the option; `nil` if there is none.
    package subscript(name: String) -> String? { values[name]?.last }

    package func all(_ name: String) -> [String] { values[name] ?? [] }

    package func required(_ name: String) throws(UsageError) -> String {
        guard let value = self[name] else { throw UsageError("‘--\(name)’ is missing.") }
        return value
    }

    /// Parses a whole number of at least `minimum`; `nil` if the option is not given.
    package func integer(_ name: String, atLeast minimum: Int) throws(UsageError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), number >= minimum else {
            throw UsageError("‘--\(name)’ takes a whole number from \(minimum), not ‘\(text)’.")
        }
        return number
    }
}

/// An error in the command line; the process exits with status 2.
package struct UsageError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// An error of a command, explained in full; the process exits with status 1.
package struct CommandError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
