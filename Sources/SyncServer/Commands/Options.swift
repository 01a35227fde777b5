/// The words of a command line after the command's name: `--name value`, `--name=value`, `--flag`, and what has no
/// dashes. An option that is known in both ways has its value only where the next word has no dashes.
struct Options {
    private(set) var positional: [String] = []
    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []

    /// - Parameters:
    ///   - taking: the options that have a value.
    ///   - flags: the options that have none.
    init(_ words: [String], taking: Set<String>, flags known: Set<String> = []) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                positional.append(word)
                continue
            }
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let hasValue = parts.count == 2 || rest.first.map { !$0.hasPrefix("--") } == true
            if known.contains(name), parts.count == 1, !(taking.contains(name) && hasValue) {
                flags.insert(name)
            } else if taking.contains(name) {
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw UsageError("‘--\(name)’ needs a value.")
                }
                values[name, default: []].append(value)
            } else {
                throw UsageError("There is no option ‘\(word)’ here.")
            }
        }
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The last value given.
    subscript(name: String) -> String? { values[name]?.last }

    func all(_ name: String) -> [String] { values[name] ?? [] }

    func required(_ name: String) throws(UsageError) -> String {
        guard let value = self[name] else { throw UsageError("‘--\(name)’ is missing.") }
        return value
    }

    /// A whole number of at least `minimum`.
    func integer(_ name: String, atLeast minimum: Int) throws(UsageError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), number >= minimum else {
            throw UsageError("‘--\(name)’ takes a whole number from \(minimum), not ‘\(text)’.")
        }
        return number
    }
}

/// A command line that is not understood; the process exits with status 2.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Something that a command cannot do, said in full; the process exits with status 1.
package struct CommandError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
