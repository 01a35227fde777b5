internal import SourceFacts
internal import SwiftSyntax

extension FileReader {
    mutating func properties(_ declaration: VariableDeclSyntax, condition: Condition) -> [PropertyFact] {
        let comment = CommentText.text(
            before: parts(declaration.attributes, declaration.modifiers, keyword: declaration.bindingSpecifier))
        let attributes = attributes(declaration.attributes)
        let modifiers = modifiers(declaration.modifiers)
        let bindings = Array(declaration.bindings)
        var properties: [PropertyFact] = []
        for (index, binding) in bindings.enumerated() {
            guard let token = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
                let pattern = binding.pattern.trimmedDescription
                note("‘\(pattern)’ is no single name: declare each property by itself.", at: binding.pattern)
                continue
            }
            // The parser has already noted that there is none.
            guard token.presence == .present else { continue }
            let isComputed = isComputed(binding.accessorBlock)
            // Of ‘let a, b: Int’, both are integers.
            let typed = bindings[index...].first { $0.typeAnnotation != nil || $0.initializer != nil }
            properties.append(
                PropertyFact(
                    name: name(token), location: source.location(of: token), comment: comment, attributes: attributes,
                    modifiers: modifiers, isConstant: declaration.bindingSpecifier.tokenKind == .keyword(.let),
                    isComputed: isComputed, type: (typed?.typeAnnotation?.type).map { reference($0) },
                    value: value(of: binding),
                    condition: condition.text))
        }
        return properties
    }

    private mutating func value(of binding: PatternBindingSyntax) -> ExpressionFact? {
        guard let value = binding.initializer?.value else { return returned(by: binding.accessorBlock) }
        // The parser has already noted that there is none.
        return value.is(MissingExprSyntax.self) ? nil : expression(value)
    }

    private func isComputed(_ block: AccessorBlockSyntax?) -> Bool {
        switch block?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors):
            accessors.contains { ![.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
        @unknown default: true
        }
    }

    /// What a getter of one expression gives.
    private mutating func returned(by block: AccessorBlockSyntax?) -> ExpressionFact? {
        let body: CodeBlockItemListSyntax? =
            switch block?.accessors {
            case nil: nil
            case .getter(let items): items
            case .accessors(let accessors):
                accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }?.body?.statements
            @unknown default: nil
            }
        guard let body, let item = body.first?.item, body.count == 1 else { return nil }
        switch item {
        case .expr(let expression): return self.expression(expression)
        case .stmt(let statement):
            if let value = statement.as(ReturnStmtSyntax.self)?.expression { return expression(value) }
            return statement.as(ExpressionStmtSyntax.self).map { expression($0.expression) }
        case .decl: return nil
        @unknown default: return nil
        }
    }
}
