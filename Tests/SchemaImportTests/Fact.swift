import SourceFacts

/// Facts written by hand, as short as the sources that they replace.
enum Fact {
    static func at(_ line: Int) -> SourceLocation { SourceLocation(file: "Models.swift", line: line) }

    static func named(_ name: String) -> TypeReference { TypeText.reference(name) }

    /// Returns the fact of `@Model final class Trip { … }`.
    static func model(
        _ name: String, line: Int = 1, inherits: [String] = [], macros: [MacroFact] = [], types: [TypeFact] = [],
        condition: String? = nil, _ properties: [PropertyFact]
    ) -> TypeFact {
        TypeFact(
            kind: .class, name: name, location: at(line),
            attributes: [AttributeFact(name: "Model", location: at(line))],
            inherited: inherits.map(named), properties: properties, macros: macros, types: types, condition: condition)
    }

    /// Returns the fact of `var name: String = ""`; the line is that of the property.
    static func property(
        _ name: String, _ type: String? = nil, _ value: ExpressionFact? = nil, line: Int = 2,
        _ attributes: AttributeFact..., modifiers: [String] = [], isConstant: Bool = false, isComputed: Bool = false,
        condition: String? = nil
    ) -> PropertyFact {
        PropertyFact(
            name: name, location: at(line), attributes: attributes, modifiers: modifiers, isConstant: isConstant,
            isComputed: isComputed, type: type.map(named), value: value, condition: condition)
    }

    /// Returns the fact of `@Attribute(…) var name: String`.
    static func property(_ name: String, _ type: String, _ attribute: AttributeFact) -> PropertyFact {
        property(name, type, nil, line: 2, attribute)
    }

    static let id = property("id", "UUID")

    /// Returns the fact of `@Attribute(.unique, originalName: "…")`.
    static func attribute(_ options: [String] = [], originalName: String? = nil) -> AttributeFact {
        let arguments = options.map { ArgumentFact(value: implicit($0)) }
        return AttributeFact(
            name: "Attribute",
            arguments: arguments
                + (originalName.map { [ArgumentFact(label: "originalName", value: .string($0))] } ?? []),
            location: at(2))
    }

    /// Returns the fact of `@Relationship(deleteRule: .cascade, inverse: \Day.trip)`.
    static func relationship(_ rule: String? = nil, inverse: String? = nil) -> AttributeFact {
        AttributeFact(
            name: "Relationship",
            arguments: (rule.map { [ArgumentFact(label: "deleteRule", value: implicit($0))] } ?? [])
                + (inverse.map { [ArgumentFact(label: "inverse", value: .keyPath($0))] } ?? []),
            location: at(2))
    }

    /// Returns the fact of `.home`.
    static func implicit(_ name: String) -> ExpressionFact { .member(base: nil, name: name, isImplicit: true) }

    /// The fact of `@Attribute(.transformable(by: "T"))`.
    static let transformable = AttributeFact(
        name: "Attribute",
        arguments: [
            ArgumentFact(
                value: .call(function: ".transformable", arguments: [ArgumentFact(label: "by", value: .string("T"))]))
        ], location: at(2))

    /// Returns the fact of `Trip.self`.
    static func metatype(_ name: String) -> ExpressionFact { .member(base: name, name: "self", isImplicit: false) }

    static func enumeration(_ name: String, _ raw: String?, _ cases: [(String, ExpressionFact?)]) -> TypeFact {
        TypeFact(
            kind: .enum, name: name, location: at(50), inherited: (raw.map { [named($0)] } ?? []) + [named("Codable")],
            cases: cases.map {
                CaseFact(name: $0.0, location: at(51), rawValue: $0.1, hasAssociatedValues: false)
            })
    }

    static func structure(_ name: String, isCodable: Bool = true) -> TypeFact {
        TypeFact(
            kind: .struct, name: name, location: at(60), inherited: isCodable ? [named("Codable")] : [])
    }

    /// Returns the fact of `enum SchemaV1: VersionedSchema { … }`.
    static func version(
        _ name: String, _ number: [Int], line: Int = 1, models: ExpressionFact? = nil, _ types: [TypeFact]
    ) -> TypeFact {
        let listed = types.filter { $0.kind == .class }.map { metatype($0.name) }
        return TypeFact(
            kind: .enum, name: name, location: at(line), inherited: [named("VersionedSchema")],
            properties: [
                property(
                    "versionIdentifier", nil,
                    .call(
                        function: "Schema.Version", arguments: number.map { ArgumentFact(value: .integer("\($0)")) }),
                    modifiers: ["static"]),
                property("models", nil, models ?? .array(listed), modifiers: ["static"], isComputed: true),
            ], types: types)
    }

    static func sources(_ types: [TypeFact]) -> SourceFacts {
        SourceFacts(files: ["Models.swift"], types: types)
    }
}

/// Types as text, for facts made by hand.
enum TypeText {
    static func reference(_ text: String) -> TypeReference {
        if text.hasSuffix("?") { return .optional(reference(String(text.dropLast()))) }
        if text.hasPrefix("["), text.hasSuffix("]") {
            let inside = String(text.dropFirst().dropLast())
            let sides = inside.split(separator: ":").map { String($0.drop { $0 == " " }) }
            guard sides.count == 2, !inside.hasPrefix("[") else { return .array(reference(inside)) }
            return .dictionary(key: reference(sides[0]), value: reference(sides[1]))
        }
        if let open = text.firstIndex(of: "<"), text.hasSuffix(">") {
            let inside = String(text[text.index(after: open)...].dropLast())
            return .named(String(text[..<open]), arguments: [reference(inside)])
        }
        return text.contains("(") ? .other(text) : .named(text, arguments: [])
    }
}
