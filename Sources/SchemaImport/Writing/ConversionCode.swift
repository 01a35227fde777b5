import WireFormats

/// The Swift code of a conversion, in both directions, between two types that express the same values in different
/// forms, such as `Int` and `Double`.
struct ConversionCode {
    /// The name of the Swift type that converts the values: `TripPriceAsDouble`.
    let name: String
    let lines: [String]

    /// Creates the code of a conversion of an attribute. The result is `nil` if the conversion is not obvious, so that
    /// the app must define it.
    init?(of attribute: String, in entity: String, from older: AttributeType, to newer: AttributeType) {
        guard let up = ConversionCode.body(older, newer), let down = ConversionCode.body(newer, older),
            let before = ConversionCode.swift(older), let after = ConversionCode.swift(newer)
        else { return nil }
        let words = [entity, attribute].map { ($0.first?.uppercased() ?? "") + $0.dropFirst() }
        name = words.joined() + "As" + ConversionCode.word(newer.kind)
        let samples = ConversionCode.samples(older.kind) + (older.isOptional ? ["nil"] : [])
        lines = [
            "struct \(name): Conversion {", "    func up(_ older: \(before)) -> \(after) {",
            "        \(up.replacing("#", with: "older"))", "    }", "    func down(_ newer: \(after)) -> \(before) {",
            "        \(down.replacing("#", with: "newer"))", "    }",
            "    var examples: [\(before)] { [\(samples.joined(separator: ", "))] }", "}",
        ]
    }

    /// Returns the Swift type of the values that a conversion reads or returns; `nil` if no conversion is obvious for
    /// them.
    private static func swift(_ type: AttributeType) -> String? {
        let name: String? =
            switch type.kind {
            case .bool, .int, .double, .decimal, .string: word(type.kind) == "Decimal" ? "DecimalText" : word(type.kind)
            case .enumeration: "String"
            case .array(let element): swift(AttributeType(kind: element, isOptional: false)).map { "[\($0)]" }
            case .date, .uuid, .data, .codable, .reference: nil
            }
        return name.map { $0 + (type.isOptional ? "?" : "") }
    }

    private static func word(_ kind: AttributeType.Kind) -> String {
        switch kind {
        case .bool: "Bool"
        case .int: "Int"
        case .double: "Double"
        case .decimal: "Decimal"
        case .array: "List"
        default: "String"
        }
    }

    private static func samples(_ kind: AttributeType.Kind) -> [String] {
        switch kind {
        case .bool: ["true", "false"]
        case .int: ["0", "1", "-1", "12_345"]
        case .double: ["0", "1.5", "-0.25", "12_345.75"]
        case .decimal: [".zero"]
        case .array(let element): ["[]", "[\(samples(element).joined(separator: ", "))]"]
        case .enumeration(_, let cases): cases.map(Code.literal)
        default: ["\"\"", "\"1\"", "\"a\""]
        }
    }

    /// Returns the Swift code of the value that a required attribute gets instead of null when a value is converted.
    private static func nothing(_ kind: AttributeType.Kind) -> String {
        switch kind {
        case .bool: "false"
        case .int, .double: "0"
        case .decimal: ".zero"
        case .array: "[]"
        case .enumeration(_, let cases): Code.literal(cases.first ?? "")
        default: "\"\""
        }
    }

    /// Returns the Swift expression that converts a value from the type `from` to the type `to`, such as `Double(#)`.
    /// The placeholder `#` stands for the value. Returns `nil` if there is no obvious conversion.
    private static func body(_ from: AttributeType, _ to: AttributeType) -> String? {
        guard let text = body(from.kind, to.kind) else { return nil }
        if !from.isOptional { return text }
        let inner = "#.map { \(text.replacing("#", with: "$0")) }"
        return to.isOptional ? inner : "\(inner) ?? \(nothing(to.kind))"
    }

    private static func body(_ from: AttributeType.Kind, _ to: AttributeType.Kind) -> String? {
        let isNegative = "#.text.hasPrefix(\"-\")"
        switch (from, to) {
        case (.int, .double): return "Double(#)"
        case (.double, .int): return "Int(exactly: #.rounded()) ?? (# < 0 ? .min : .max)"
        case (.int, .decimal): return "DecimalText(\"\\(#)\") ?? .zero"
        case (.decimal, .int):
            return "Double(#).flatMap { Int(exactly: $0.rounded()) } ?? (\(isNegative) ? .min : .max)"
        case (.double, .decimal): return "DecimalText(shortest: #) ?? .zero"
        case (.decimal, .double):
            return "Double(#) ?? (\(isNegative) ? -1 : 1) * .greatestFiniteMagnitude"
        case (.bool, .int): return "# ? 1 : 0"
        case (.int, .bool): return "# != 0"
        case (.bool, .string), (.int, .string), (.double, .string): return "\"\\(#)\""
        case (.string, .bool): return "# == \"true\""
        case (.string, .int): return "Int(#) ?? 0"
        case (.string, .double): return "Double(#).flatMap { $0.isFinite ? $0 : nil } ?? 0"
        case (.decimal, .string): return "#.text"
        case (.string, .decimal): return "DecimalText(#) ?? .zero"
        case (let element, .array(let other)) where element == other: return "[#]"
        case (.array(let element), let other) where element == other: return "#.first ?? \(nothing(other))"
        default: return nil
        }
    }
}
