/// An option of a command.
package struct OptionSpec: Sendable {
    /// Its value: how usage texts call it, and what it can be.
    package struct Value: Sendable {
        let name: String
        let kind: ValueKind
        /// The option also stands by itself.
        let isOptional: Bool
    }

    /// Without the dashes.
    let name: String
    /// `nil` for an option that is there or not.
    let value: Value?
    let help: String
    /// What holds without it.
    let standard: String?
    /// The environment variable that holds where the option is not given.
    let variable: String?
    let isRequired: Bool
    let isRepeated: Bool

    /// An option without a value.
    package static func flag(_ name: String, _ help: String) -> OptionSpec {
        OptionSpec(
            name: name, value: nil, help: help, standard: nil, variable: nil, isRequired: false, isRepeated: false)
    }

    /// An option with a value.
    ///
    /// - Parameters:
    ///   - isOptional: whether it also stands without its value.
    ///   - standard: what holds without it.
    ///   - variable: the environment variable that holds without it.
    package static func value(
        _ name: String, _ value: String, _ help: String, kind: ValueKind = .any, isOptional: Bool = false,
        standard: String? = nil, variable: String? = nil, isRequired: Bool = false, isRepeated: Bool = false
    ) -> OptionSpec {
        OptionSpec(
            name: name, value: Value(name: value, kind: kind, isOptional: isOptional), help: help, standard: standard,
            variable: variable, isRequired: isRequired, isRepeated: isRepeated)
    }

    /// `--app`
    var word: String { "--\(name)" }

    /// ` APP`, ` [URL]`; nothing for a flag.
    var valueUsage: String { value.map { $0.isOptional ? " [\($0.name)]" : " \($0.name)" } ?? "" }

    /// The help, with what holds where the option is not given.
    var helpWithStandard: String {
        let facts = [
            standard.map { "default: \($0)" }, variable.map { "environment: \($0)" },
            isRepeated ? "may be repeated" : nil,
        ].compactMap(\.self)
        return facts.isEmpty ? help : "\(help) (\(facts.joined(separator: "; ")))"
    }
}
