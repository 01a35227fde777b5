/// A positional argument of a command.
package struct ArgumentSpec: Sendable {
    /// The number of words that the user can give for the argument.
    package enum Count: Sendable {
        case one
        case optional
        case any
        case atLeastOne
    }

    /// The argument's name in usage texts, such as `VERSION`.
    let name: String
    let help: String
    let count: Count
    let kind: ValueKind

    package init(_ name: String, _ help: String, count: Count = .one, kind: ValueKind = .any) {
        (self.name, self.help, self.count, self.kind) = (name, help, count, kind)
    }

    /// The argument as it is shown in a usage line: `VERSION`, `[VERSION]`, `[PATH…]`.
    var usage: String {
        switch count {
        case .one: name
        case .optional: "[\(name)]"
        case .any: "[\(name)…]"
        case .atLeastOne: "\(name)…"
        }
    }

    var isRequired: Bool { count == .one || count == .atLeastOne }

    var isRepeated: Bool { count == .any || count == .atLeastOne }
}
