/// An option of a command.
package struct OptionSpec: Sendable {
    /// An option's value: its name in usage texts, and its kind.
    package struct Value: Sendable {
        let name: String
        let kind: ValueKind
        /// True if the option may also be given without a value.
        let isOptional: Bool
    }

    /// The option's name, without the dashes.
    let name: String
    /// The option's value; `nil` for a flag.
    let value: Value?
    let help: String
    /// The default value, in words for the help text.
    let standard: String?
    /// The name of the environment variable that is read if the option is not given.
    let variable: String?
    let isRequired: Bool
    let isRepeated: Bool

    /// Makes an option without a value.
    package static func flag(_ name: String, _ help: String) -> OptionSpec {
        OptionSpec(
            name: name, value: nil, help: help, standard: nil, variable: nil, isRequired: false, isRepeated: false)
    }

    /// Makes an option with a value.
    ///
    /// - Parameters:
    ///   - isOptional: true if the option may also be given without its value.
    ///   - standard: the default value, in words for the help text.
    ///   - variable: the name of the environment variable that is read if the option is not given.
    package static func value(
        _ name: String, _ value: String, _ help: String, kind: ValueKind = .any, isOptional: Bool = false,
        standard: String? = nil, variable: String? = nil, isRequired: Bool = false, isRepeated: Bool = false
    ) -> OptionSpec {
        OptionSpec(
            name: name, value: Value(name: value, kind: kind, isOptional: isOptional), help: help, standard: standard,
            variable: variable, isRequired: isRequired, isRepeated: isRepeated)
    }

    /// The option as it is typed: `--app`.
    var word: String { "--\(name)" }

    /// The value as it is shown in usage texts: ` APP`, ` [URL]`; empty for a flag.
    var valueUsage: String { value.map { $0.isOptional ? " [\($0.name)]" : " \($0.name)" } ?? "" }

    /// The help text, followed by the default value and the environment variable.
    var helpWithStandard: String {
        let facts = [
            standard.map { "default: \($0)" }, variable.map { "environment: \($0)" },
            isRepeated ? "may be repeated" : nil,
        ].compactMap(\.self)
        return facts.isEmpty ? help : "\(help) (\(facts.joined(separator: "; ")))"
    }
}
