internal import SourceFacts
internal import SwiftSyntax

extension FileReader {
    /// Returns the parts of a declaration up to its keyword, where its comments may be.
    func parts(
        _ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax, keyword: TokenSyntax
    ) -> [Syntax] {
        attributes.map { Syntax($0) } + modifiers.map { Syntax($0) } + [Syntax(keyword)]
    }

    /// Returns the modifiers without spaces: `private(set)`.
    func modifiers(_ modifiers: DeclModifierListSyntax) -> [String] {
        modifiers.map { modifier in
            modifier.name.text + (modifier.detail.map { "(\($0.detail.text))" } ?? "")
        }
    }

    mutating func attributes(
        _ list: AttributeListSyntax, condition: Condition = .always
    ) -> [AttributeFact] {
        var facts: [AttributeFact] = []
        for element in list {
            switch element {
            case .attribute(let attribute):
                facts.append(
                    AttributeFact(
                        name: attribute.attributeName.trimmedDescription, arguments: arguments(of: attribute),
                        location: source.location(of: attribute.attributeName), condition: condition.text))
            case .ifConfigDecl(let config):
                for clause in condition.clauses(of: config) {
                    if case .attributes(let list) = clause.elements {
                        facts += attributes(list, condition: clause.condition)
                    }
                }
            @unknown default: break
            }
        }
        return facts
    }

    private mutating func arguments(of attribute: AttributeSyntax) -> [ArgumentFact] {
        switch attribute.arguments {
        case nil: []
        case .argumentList(let list): arguments(list)
        case .availability(let list): list.map { availability($0.argument) }
        case .some(let other): [ArgumentFact(value: .other(other.trimmedDescription))]
        }
    }

    /// Returns an argument as text: `iOS 17`, `*`, `deprecated`, `message: "…"`.
    private func availability(_ argument: AvailabilityArgumentSyntax.Argument) -> ArgumentFact {
        switch argument {
        case .token(let token): return ArgumentFact(value: .other(token.text))
        case .availabilityVersionRestriction(let version):
            return ArgumentFact(value: .other(version.trimmedDescription))
        case .availabilityLabeledArgument(let labeled):
            let label = name(labeled.label)
            switch labeled.value {
            case .string(let string):
                let text = string.segments.map(\.content.text).joined()
                return ArgumentFact(label: label, value: .string(text))
            case .version(let version):
                return ArgumentFact(label: label, value: .other(version.trimmedDescription))
            @unknown default:
                return ArgumentFact(label: label, value: .other(labeled.value.trimmedDescription))
            }
        @unknown default: return ArgumentFact(value: .other(argument.trimmedDescription))
        }
    }

    mutating func arguments(_ list: LabeledExprListSyntax) -> [ArgumentFact] { arguments(list, depth: 0) }

    mutating func arguments(_ list: LabeledExprListSyntax, depth: Int) -> [ArgumentFact] {
        list.map { argument in
            ArgumentFact(label: argument.label.map { name($0) }, value: expression(argument.expression, depth: depth))
        }
    }

    /// Returns the trailing closures, the first of which has no label.
    func closures(
        _ first: ClosureExprSyntax?, _ rest: MultipleTrailingClosureElementListSyntax
    ) -> [ArgumentFact] {
        let first = first.map { [ArgumentFact(value: .closure($0.trimmedDescription))] } ?? []
        return first
            + rest.map { ArgumentFact(label: name($0.label), value: .closure($0.closure.trimmedDescription)) }
    }
}
