internal import SourceFacts
internal import SwiftSyntax

extension FileReader {
    /// The maximum nesting of types in type references; deeper ones are kept as text.
    static let referencesMax = 32

    mutating func reference(_ type: TypeSyntax) -> TypeReference { reference(type, depth: 0) }

    mutating func references(_ clause: GenericArgumentClauseSyntax?) -> [TypeReference] { references(clause, depth: 0) }

    private mutating func reference(_ type: TypeSyntax, depth: Int) -> TypeReference {
        guard depth < FileReader.referencesMax else {
            note(
                "A type is nested more than \(FileReader.referencesMax) deep here: the rest is kept as text.", at: type)
            return .other(type.trimmedDescription)
        }
        switch type.as(TypeSyntaxEnum.self) {
        case .optionalType(let optional): return .optional(reference(optional.wrappedType, depth: depth + 1))
        case .implicitlyUnwrappedOptionalType(let optional):
            return .optional(reference(optional.wrappedType, depth: depth + 1))
        case .arrayType(let array): return .array(reference(array.element, depth: depth + 1))
        case .dictionaryType(let dictionary):
            return .dictionary(
                key: reference(dictionary.key, depth: depth + 1), value: reference(dictionary.value, depth: depth + 1))
        case .tupleType(let tuple):
            // Brackets around one type mean nothing.
            guard let only = tuple.elements.first, tuple.elements.count == 1, only.firstName == nil,
                only.ellipsis == nil
            else { break }
            return reference(only.type, depth: depth + 1)
        case .identifierType(let identifier):
            guard identifier.moduleSelector == nil else { break }
            return .named(
                name(identifier.name), arguments: references(identifier.genericArgumentClause, depth: depth + 1))
        case .memberType(let member):
            guard let name = dotted(member) else { break }
            return .named(name, arguments: references(member.genericArgumentClause, depth: depth + 1))
        default: break
        }
        return .other(type.trimmedDescription)
    }

    private mutating func references(_ clause: GenericArgumentClauseSyntax?, depth: Int) -> [TypeReference] {
        clause?.arguments.map { argument in
            switch argument.argument {
            case .type(let type): reference(type, depth: depth)
            case .expr(let value): .other(value.trimmedDescription)
            @unknown default: .other(argument.trimmedDescription)
            }
        } ?? []
    }

    /// Returns the name of `SchemaV1.Trip`; `nil` if a part before the last has generic arguments.
    private func dotted(_ member: MemberTypeSyntax) -> String? {
        var parts: [String] = []
        var type = TypeSyntax(member)
        while let member = type.as(MemberTypeSyntax.self) {
            guard member.moduleSelector == nil, parts.isEmpty || member.genericArgumentClause == nil else { return nil }
            parts.append(name(member.name))
            type = member.baseType
        }
        guard let first = type.as(IdentifierTypeSyntax.self), first.genericArgumentClause == nil,
            first.moduleSelector == nil
        else { return nil }
        return ([name(first.name)] + parts.reversed()).joined(separator: ".")
    }
}
