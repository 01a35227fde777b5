/// A word that a command takes by its position.
package struct ArgumentSpec: Sendable {
    /// How many words it may be.
    package enum Count: Sendable {
        case one
        case optional
        case any
        case atLeastOne
    }

    /// As usage texts have it: `VERSION`.
    let name: String
    let help: String
    let count: Count
    let kind: ValueKind

    package init(_ name: String, _ help: String, count: Count = .one, kind: ValueKind = .any) {
        (self.name, self.help, self.count, self.kind) = (name, help, count, kind)
    }

    /// `VERSION`, `[VERSION]`, `[PATH…]`
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
