import WireFormats

/// Writes the statements of a version's declaration (`Model`, `Attribute` and so on) as Swift code.
enum DeclarationCode {
    static func identity(_ name: String, _ type: Schema.IdentityType) -> Code {
        .call("Identity", [.text(Code.literal(name))] + (type == .uuid ? [] : [.text(".\(type.rawValue)")]))
    }

    static func attribute(_ attribute: Schema.Attribute) -> Code {
        var arguments: [Code] = [.text(Code.literal(attribute.name)), type(attribute.type)]
        if attribute.isUnique { arguments.append(.text(".unique")) }
        if let standard = attribute.default { arguments.append(.text("default: \(text(standard))")) }
        if let old = attribute.originalName { arguments.append(.text("originalName: \(Code.literal(old))")) }
        if attribute.scope == .local { arguments.append(.text("scope: .local")) }
        if let unit = attribute.unit { arguments.append(.text("unit: \(Code.literal(unit))")) }
        if attribute.merge != .latest { arguments.append(.text("merge: .\(attribute.merge.rawValue)")) }
        return .call("Attribute", arguments)
    }

    static func relationship(_ relationship: Schema.Relationship) -> Code {
        var arguments: [Code] = [
            .text(Code.literal(relationship.name)),
            .text("\(relationship.cardinality.rawValue): \(Code.literal(relationship.target))"),
        ]
        if relationship.deleteRule != .nullify {
            arguments.append(.text("deleteRule: .\(relationship.deleteRule.rawValue)"))
        }
        if let inverse = relationship.inverse { arguments.append(.text("inverse: \(Code.literal(inverse))")) }
        if let old = relationship.originalName { arguments.append(.text("originalName: \(Code.literal(old))")) }
        return .call("Relationship", arguments)
    }

    /// Returns the part of a `Model` statement before its braces.
    static func head(_ model: Model) -> Code {
        var arguments: [Code] = [.text(Code.literal(model.name))]
        if let multiplicity = model.multiplicity { arguments.append(.text(".\(multiplicity.rawValue)")) }
        if let old = model.originalName { arguments.append(.text("originalName: \(Code.literal(old))")) }
        if let scope = model.scope { arguments.append(.text("scope: .\(scope.rawValue)")) }
        return .call("Model", arguments)
    }

    static func removed(_ names: [String]) -> Code {
        .call("Removed", names.map { .text(Code.literal($0)) })
    }

    static func type(_ type: AttributeType) -> Code {
        kind(type.kind, label: nil, suffix: type.isOptional ? ".optional" : "")
    }

    private static func kind(_ kind: AttributeType.Kind, label: String?, suffix: String) -> Code {
        let head = label.map { "\($0): " } ?? ""
        switch kind {
        case .bool: return .text("\(head).bool\(suffix)")
        case .int: return .text("\(head).int\(suffix)")
        case .double: return .text("\(head).double\(suffix)")
        case .decimal: return .text("\(head).decimal\(suffix)")
        case .string: return .text("\(head).string\(suffix)")
        case .date: return .text("\(head).date\(suffix)")
        case .uuid, .reference: return .text("\(head).uuid\(suffix)")
        case .data: return .text("\(head).data\(suffix)")
        case .codable(let name): return .text("\(head).codable(\(Code.literal(name)))\(suffix)")
        case .array(let element):
            return .call(".array", [self.kind(element, label: "of", suffix: "")], label: label, suffix: suffix)
        case .enumeration(let name, let cases):
            let elements = cases.map { Code.text(Code.literal($0)) }
            return .call(
                ".enumeration", [.text(Code.literal(name)), .array(label: nil, elements)], label: label,
                suffix: suffix)
        }
    }

    static func text(_ standard: Default) -> String {
        switch standard {
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): Code.literal(value)
        case .json("[]"): "[]"
        case .json(let value): ".json(\(Code.literal(value)))"
        case .creation: ".creation"
        case .newID: ".newID"
        case .attribute(let name): ".attribute(\(Code.literal(name)))"
        }
    }
}
