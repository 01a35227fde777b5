internal import SourceFacts
internal import SwiftSyntax

extension FileReader {
    /// A value, and the condition under which it is compiled.
    private typealias Returned = (value: ExpressionFact?, condition: Condition)

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
            // In ‘let a, b: Int’ both are integers.
            let typed = bindings[index...].first { $0.typeAnnotation != nil || $0.initializer != nil }
            let isShared = isComputed || modifiers.contains("static") || modifiers.contains("class")
            for (value, condition) in values(of: binding, isShared: isShared, condition: condition) {
                properties.append(
                    PropertyFact(
                        name: name(token), location: source.location(of: token), comment: comment,
                        attributes: attributes, modifiers: modifiers,
                        isConstant: declaration.bindingSpecifier.tokenKind == .keyword(.let), isComputed: isComputed,
                        type: (typed?.typeAnnotation?.type).map { reference($0) }, value: value,
                        condition: condition.text))
            }
        }
        return properties
    }

    /// Returns the initial value, or the getter's value: one for each clause if the getter consists of an `#if`, as if
    /// the `#if` were around the property.
    ///
    /// - Parameter isShared: true if no record stores the property. Only then is `{ … }()` read like a getter.
    private mutating func values(
        of binding: PatternBindingSyntax, isShared: Bool, condition: Condition
    ) -> [Returned] {
        if let value = binding.initializer?.value {
            if isShared, let body = statements(ofCalled: value) { return returned(by: body, condition: condition) }
            // The parser has already noted that there is none.
            return [(value.is(MissingExprSyntax.self) ? nil : expression(value), condition)]
        }
        guard let body = getter(of: binding.accessorBlock) else { return [(nil, condition)] }
        return returned(by: body, condition: condition)
    }

    /// Returns the statements of `{ … }()`.
    private func statements(ofCalled value: ExprSyntax) -> CodeBlockItemListSyntax? {
        guard let call = value.as(FunctionCallExprSyntax.self), call.arguments.isEmpty, call.trailingClosure == nil
        else {
            return nil
        }
        return call.calledExpression.as(ClosureExprSyntax.self)?.statements
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

    private func getter(of block: AccessorBlockSyntax?) -> CodeBlockItemListSyntax? {
        switch block?.accessors {
        case nil: nil
        case .getter(let items): items
        case .accessors(let accessors):
            accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }?.body?.statements
        @unknown default: nil
        }
    }

    /// Returns the value of a body with one expression, or that of each clause of its only `#if`.
    private mutating func returned(
        by body: CodeBlockItemListSyntax, condition: Condition
    ) -> [Returned] {
        guard let item = body.first?.item, body.count == 1 else { return [(nil, condition)] }
        switch item {
        case .expr(let expression): return [(self.expression(expression), condition)]
        case .stmt(let statement):
            if let value = statement.as(ReturnStmtSyntax.self)?.expression { return [(expression(value), condition)] }
            return [(statement.as(ExpressionStmtSyntax.self).map { expression($0.expression) }, condition)]
        case .decl(let declaration):
            guard let config = declaration.as(IfConfigDeclSyntax.self) else { break }
            return condition.clauses(of: config).flatMap { clause -> [Returned] in
                guard case .statements(let items) = clause.elements else { return [(nil, clause.condition)] }
                return returned(by: items, condition: clause.condition)
            }
        @unknown default: break
        }
        return [(nil, condition)]
    }
}
