internal import SourceFacts
internal import SwiftParser
internal import SwiftSyntax

extension FileReader {
    /// The maximum nesting of expressions; deeper ones are kept as text. JSON readers have a limit, often 512 levels,
    /// and each of these takes four.
    static let expressionsMax = 64

    mutating func expression(_ expression: ExprSyntax) -> ExpressionFact { self.expression(expression, depth: 0) }

    mutating func expression(_ expression: ExprSyntax, depth: Int) -> ExpressionFact {
        guard depth < FileReader.expressionsMax else {
            note(
                "An expression is nested more than \(FileReader.expressionsMax) deep here: the rest is kept as text.",
                at: expression)
            return .other(expression.trimmedDescription)
        }
        return known(expression, depth: depth) ?? .other(expression.trimmedDescription)
    }

    private mutating func known(_ expression: ExprSyntax, depth: Int) -> ExpressionFact? {
        switch expression.as(ExprSyntaxEnum.self) {
        case .stringLiteralExpr(let string): string.representedLiteralValue.map { .string($0) }
        case .integerLiteralExpr(let integer): .integer(digits(integer.literal))
        case .floatLiteralExpr(let float): .float(digits(float.literal))
        case .booleanLiteralExpr(let bool): .bool(bool.literal.tokenKind == .keyword(.true))
        case .nilLiteralExpr: .null
        case .prefixOperatorExpr(let operation): signed(operation)
        case .tupleExpr(let tuple): only(tuple, depth: depth)
        case .arrayExpr(let array): .array(array.elements.map { self.expression($0.expression, depth: depth + 1) })
        case .dictionaryExpr(let dictionary): self.dictionary(dictionary, depth: depth)
        case .declReferenceExpr, .memberAccessExpr: member(expression)
        case .functionCallExpr(let call): self.call(call, depth: depth)
        case .keyPathExpr(let path): .keyPath(String(path.trimmedDescription.dropFirst()))
        case .closureExpr(let closure): .closure(closure.trimmedDescription)
        default: nil
        }
    }

    private func digits(_ token: TokenSyntax) -> String { token.text.filter { $0 != "_" } }

    /// Returns a signed number, `-1` or `+0.5`; `nil` for other operators or operands.
    private func signed(_ operation: PrefixOperatorExprSyntax) -> ExpressionFact? {
        let sign: String
        switch operation.operator.text {
        case "-": sign = "-"
        case "+": sign = ""
        default: return nil
        }
        if let integer = operation.expression.as(IntegerLiteralExprSyntax.self) {
            return .integer(sign + digits(integer.literal))
        }
        return operation.expression.as(FloatLiteralExprSyntax.self).map { .float(sign + digits($0.literal)) }
    }

    /// Reads the only expression in brackets, which mean nothing.
    private mutating func only(_ tuple: TupleExprSyntax, depth: Int) -> ExpressionFact? {
        guard let only = tuple.elements.first, tuple.elements.count == 1, only.label == nil else { return nil }
        return expression(only.expression, depth: depth + 1)
    }

    private mutating func dictionary(_ dictionary: DictionaryExprSyntax, depth: Int) -> ExpressionFact {
        guard case .elements(let elements) = dictionary.content else { return .dictionary([]) }
        return .dictionary(
            elements.map {
                ExpressionFact.DictionaryElement(
                    key: expression($0.key, depth: depth + 1), value: expression($0.value, depth: depth + 1))
            })
    }

    private mutating func call(_ call: FunctionCallExprSyntax, depth: Int) -> ExpressionFact? {
        guard let function = called(call.calledExpression) else { return nil }
        return .call(
            function: function,
            arguments: arguments(call.arguments, depth: depth + 1)
                + closures(call.trailingClosure, call.additionalTrailingClosures))
    }

    /// Returns the callee of a call if it is a name, also `Set<String>` and `[String]`.
    private func called(_ expression: ExprSyntax) -> String? {
        switch expression.as(ExprSyntaxEnum.self) {
        case .arrayExpr, .dictionaryExpr: expression.trimmedDescription
        default: dotted(expression)
        }
    }

    private func member(_ expression: ExprSyntax) -> ExpressionFact? {
        // ‘[Trip].self’ and ‘Trip?.self’ name types.
        if let access = expression.as(MemberAccessExprSyntax.self),
            access.declName.baseName.tokenKind == .keyword(.self),
            let base = access.base
        {
            return .member(base: dotted(base) ?? base.trimmedDescription, name: "self", isImplicit: false)
        }
        guard var parts = dottedParts(expression), let name = parts.popLast() else { return nil }
        // A leading full stop is an empty first part.
        let isImplicit = parts.first == ""
        let base = parts.drop { $0.isEmpty }.joined(separator: ".")
        return .member(base: base.isEmpty ? nil : base, name: name, isImplicit: isImplicit)
    }

    private func dotted(_ expression: ExprSyntax) -> String? { dottedParts(expression)?.joined(separator: ".") }

    /// Returns the parts of `A.B<C>.d`, the first of which is empty for `.d`; `nil` if a part is not a name.
    private func dottedParts(_ expression: ExprSyntax) -> [String]? {
        var parts: [String] = []
        var rest = expression
        var generics = ""
        while true {
            switch rest.as(ExprSyntaxEnum.self) {
            case .genericSpecializationExpr(let special):
                generics = special.genericArgumentClause.trimmedDescription
                rest = special.expression
                continue
            case .declReferenceExpr(let reference):
                guard let name = name(reference) else { return nil }
                return [name + generics] + parts.reversed()
            case .memberAccessExpr(let access):
                guard let name = name(access.declName) else { return nil }
                parts.append(name + generics)
                generics = ""
                guard let base = access.base else { return [""] + parts.reversed() }
                rest = base
            default: return nil
            }
        }
    }

    private func name(_ reference: DeclReferenceExprSyntax) -> String? {
        guard reference.moduleSelector == nil, reference.argumentNames == nil,
            reference.baseName.presence == .present
        else { return nil }
        return name(reference.baseName)
    }
}
