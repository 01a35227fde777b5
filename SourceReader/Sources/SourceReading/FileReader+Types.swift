internal import SourceFacts
internal import SwiftSyntax

extension FileReader {
    /// Reads a type declaration; returns `nil` for other declarations, such as functions.
    mutating func type(_ declaration: DeclSyntax, condition: Condition, depth: Int) -> TypeFact? {
        guard var fact = head(declaration) else { return nil }
        guard depth < FileReader.typesMax else {
            note(
                "Types are nested more than \(FileReader.typesMax) deep here: the inner ones are not read.",
                at: declaration)
            return nil
        }
        fact.condition = condition.text
        if let group = declaration.asProtocol((any DeclGroupSyntax).self) {
            fact.inherited = inherited(group.inheritanceClause)
            fact.comment = CommentText.text(
                before: parts(group.attributes, group.modifiers, keyword: group.introducer))
            fact.attributes = attributes(group.attributes)
            fact.modifiers = modifiers(group.modifiers)
            members(group.memberBlock.members, of: &fact, condition: .always, depth: depth)
        }
        return fact
    }

    /// Returns the parts of a type that differ among the kinds of types.
    private mutating func head(_ declaration: DeclSyntax) -> TypeFact? {
        switch declaration.as(DeclSyntaxEnum.self) {
        case .classDecl(let type): named(type.name, .class, type.genericParameterClause)
        case .structDecl(let type): named(type.name, .struct, type.genericParameterClause)
        case .enumDecl(let type): named(type.name, .enum, type.genericParameterClause)
        case .actorDecl(let type): named(type.name, .actor, type.genericParameterClause)
        case .protocolDecl(let type): named(type.name, .protocol, nil)
        case .extensionDecl(let type): extended(type)
        case .typeAliasDecl(let alias): aliased(alias)
        default: nil
        }
    }

    private func named(
        _ token: TokenSyntax, _ kind: TypeFact.Kind, _ parameters: GenericParameterClauseSyntax?
    ) -> TypeFact {
        TypeFact(
            kind: kind, name: name(token), location: source.location(of: token),
            genericParameters: parameters?.parameters.map { name($0.name) } ?? [])
    }

    private mutating func extended(_ type: ExtensionDeclSyntax) -> TypeFact {
        let location = source.location(of: type.extendedType)
        if case .named(let name, arguments: _) = reference(type.extendedType) {
            return TypeFact(kind: .extension, name: name, location: location)
        }
        return TypeFact(kind: .extension, name: type.extendedType.trimmedDescription, location: location)
    }

    private mutating func aliased(_ alias: TypeAliasDeclSyntax) -> TypeFact {
        var fact = named(alias.name, .typealias, alias.genericParameterClause)
        fact.comment = CommentText.text(
            before: parts(alias.attributes, alias.modifiers, keyword: alias.typealiasKeyword))
        fact.attributes = attributes(alias.attributes)
        fact.modifiers = modifiers(alias.modifiers)
        fact.target = reference(alias.initializer.value)
        return fact
    }

    private mutating func inherited(_ clause: InheritanceClauseSyntax?) -> [TypeReference] {
        clause?.inheritedTypes.flatMap { conformances($0.type) } ?? []
    }

    /// Returns the conformances: `Codable & Sendable` is both of them, and `@retroactive Codable` is `Codable`.
    private mutating func conformances(_ type: TypeSyntax) -> [TypeReference] {
        if let composition = type.as(CompositionTypeSyntax.self) {
            return composition.elements.flatMap { conformances($0.type) }
        }
        return [reference(type.as(AttributedTypeSyntax.self)?.baseType ?? type)]
    }

    private mutating func members(
        _ members: MemberBlockItemListSyntax, of fact: inout TypeFact, condition: Condition, depth: Int
    ) {
        for member in members {
            switch member.decl.as(DeclSyntaxEnum.self) {
            case .ifConfigDecl(let config):
                for clause in condition.clauses(of: config) {
                    if case .decls(let members) = clause.elements {
                        self.members(members, of: &fact, condition: clause.condition, depth: depth)
                    }
                }
            case .variableDecl(let variable): fact.properties += properties(variable, condition: condition)
            case .enumCaseDecl(let cases): fact.cases += self.cases(cases, condition: condition)
            case .initializerDecl(let own):
                fact.functions.append("init" + labels(own.signature.parameterClause))
            case .functionDecl(let own):
                fact.functions.append(name(own.name) + labels(own.signature.parameterClause))
            case .macroExpansionDecl(let macro): fact.macros.append(self.macro(macro, condition: condition))
            default:
                if let type = type(member.decl, condition: condition, depth: depth + 1) { fact.types.append(type) }
            }
        }
    }

    /// Returns the labels of parameters: `(from:)`.
    private func labels(_ parameters: FunctionParameterClauseSyntax) -> String {
        "(\(parameters.parameters.map { "\(name($0.firstName)):" }.joined()))"
    }

    private mutating func cases(_ declaration: EnumCaseDeclSyntax, condition: Condition) -> [CaseFact] {
        declaration.elements.map { element in
            CaseFact(
                name: name(element.name), location: source.location(of: element.name),
                rawValue: element.rawValue.map { expression($0.value) },
                hasAssociatedValues: element.parameterClause != nil, condition: condition.text)
        }
    }

    private mutating func macro(_ macro: MacroExpansionDeclSyntax, condition: Condition) -> MacroFact {
        MacroFact(
            name: name(macro.macroName), genericArguments: references(macro.genericArgumentClause),
            arguments: arguments(macro.arguments)
                + closures(macro.trailingClosure, macro.additionalTrailingClosures),
            location: source.location(of: macro.macroName), condition: condition.text)
    }
}
