import StrictJSON
import WireFormats

/// The Swift source that an app compiles for one version: a struct for each entity, and the versions from which the
/// app's store may be migrated. The same version always generates the same text.
struct RecordSource {
    let text: String

    /// - Parameters:
    ///   - position: the version, as an index in the plan's `shapes`.
    ///   - namespace: the name of the surrounding enumeration, such as `FitIQSchema`.
    init(_ plan: Plan, position: Int, in namespace: String) {
        let schema = plan.shapes[position]
        var lines = [
            "// \(plan.app) \(schema.version), fingerprint \(schema.fingerprint). By ‘syncserver schema swift’,",
            "// and frozen with the version: a change of the models is another version, and another file.",
            "", "public import Foundation", "public import SyncClient", "public import WireFormats", "",
            "/// The models of \(plan.app) \(schema.version).",
            "public enum \(namespace) {",
            "    /// What a store of this build is opened with. It reads stores of every version before.",
            "    public static func schema() throws(SyncSchemaError) -> SyncSchema {",
            "        try SyncSchema(app: \"\(plan.app)\", frozen: frozen)",
            "    }",
        ]
        var enumerations = Enumerations(taken: Set(schema.entities.map { SwiftName.type($0.name) }))
        for entity in schema.entities where entity.scope == .synced {
            let projection = plan.projection(version: position, named: entity.name)
            let singleton = projection.flatMap { plan.hub.entities[$0.entity].singleton }
            var record = RecordStruct(entity, in: schema, singleton: singleton, enumerations: enumerations)
            lines += [""] + record.lines().map { $0.isEmpty ? "" : "    \($0)" }
            enumerations = record.enumerations
        }
        lines += enumerations.lines.map { $0.isEmpty ? "" : "    \($0)" }
        lines += ["", "    private static let frozen = ["]
        for shape in plan.schemas[..<plan.version(of: position)] + [schema] {
            lines.append("        #\"\"\"")
            lines += shape.json.split(separator: "\n").map { "        \($0)" }
            lines.append("        \"\"\"#,")
        }
        lines += ["    ]", "}", ""]
        text = lines.joined(separator: "\n")
    }
}

/// The Swift enumerations that are generated for a version.
private struct Enumerations {
    /// The type names that other declarations use already, so that no enumeration can have them.
    let taken: Set<String>
    private var cases: [(name: String, raw: [String])] = []

    init(taken: Set<String>) { self.taken = taken }

    /// Selects the type name of an enumeration: `name` itself; if that is in use, the entity's name followed by `name`.
    /// If both are in use, returns `String`: the attribute then has no enumeration, but is a text.
    mutating func name(_ name: String, _ raw: [String], of entity: String) -> String {
        let type = SwiftName.type(name)
        for candidate in [type, SwiftName.type(entity) + type] where !taken.contains(candidate) {
            if let known = cases.first(where: { $0.name == candidate }) {
                if known.raw == raw { return candidate }
                continue
            }
            cases.append((candidate, raw))
            return candidate
        }
        return "String"
    }

    var lines: [String] {
        cases.flatMap { type, raw in
            ["", "public enum \(type): String, CaseIterable, Codable, Sendable, AttributeValue, AttributeElement {"]
                + raw.map { raw in
                    let name = SwiftName.member(SwiftName.identifier(raw))
                    return name == raw ? "    case \(name)" : "    case \(name) = \(SwiftName.literal(raw))"
                } + ["}"]
        }
    }
}

/// The Swift struct that is generated for an entity.
private struct RecordStruct {
    private let entity: Schema.Entity
    private let schema: Schema
    private let singleton: ID?
    private(set) var enumerations: Enumerations

    init(_ entity: Schema.Entity, in schema: Schema, singleton: ID?, enumerations: Enumerations) {
        self.entity = entity
        self.schema = schema
        self.singleton = singleton
        self.enumerations = enumerations
    }

    private struct Property {
        let name: String
        let type: String
        let standard: String?
        let comment: String?
        let field: Schema.Attribute
    }

    private var idName: String { entity.identity ?? "id" }
    private var idType: String { entity.identityType == .string ? "String" : "UUID" }

    mutating func lines() -> [String] {
        let type = SwiftName.type(entity.name)
        let properties = entity.fields.filter { $0.name != idName }.map { property($0) }
        var lines = ["public struct \(type): SyncRecord, Codable, Hashable, Identifiable {"]
        lines.append("    public static let entity = \"\(entity.name)\"")
        if let singleton {
            lines += [
                "    /// A space has one record of this kind, and this is its id.",
                "    public static let theID = ID(high: \(singleton.high), low: \(singleton.low))",
            ]
        }
        lines += ["", "    public let \(SwiftName.member(idName)): \(idType)"]
        for property in properties {
            if let comment = property.comment { lines.append("    /// \(comment)") }
            lines.append("    public var \(SwiftName.member(property.name)): \(property.type)")
        }
        if idName != "id" { lines += ["", "    public var id: \(idType) { \(SwiftName.member(idName)) }"] }
        lines += [""] + initializer(properties) + [""] + reading(properties) + [""] + writing(properties)
        return lines + ["}"]
    }

    private func initializer(_ properties: [Property]) -> [String] {
        var standard = ""
        if idType == "UUID" { standard = singleton == nil ? " = UUID()" : " = \(SwiftName.type(entity.name)).uuid" }
        var lines = ["    public init("]
        let parameters =
            ["\(SwiftName.member(idName)): \(idType)\(standard)"]
            + properties.map { property in
                "\(SwiftName.member(property.name)): \(property.type)\(property.standard.map { " = \($0)" } ?? "")"
            }
        lines += parameters.enumerated().map { "        \($1)\($0 == parameters.count - 1 ? "" : ",")" }
        lines.append("    ) {")
        lines += ([idName] + properties.map(\.name)).map {
            "        self.\(SwiftName.member($0)) = \(SwiftName.member($0))"
        }
        lines.append("    }")
        guard singleton != nil, idType == "UUID" else { return lines }
        return lines + [
            "",
            "    private static var uuid: UUID { UUID(uuidString: \"\\(theID)\") ?? UUID() }",
        ]
    }

    private func reading(_ properties: [Property]) -> [String] {
        let id = idType == "String" ? "fields.id.text" : "fields.uuid"
        return ["    public init(_ fields: RecordFields) throws {", "        \(SwiftName.member(idName)) = \(id)"]
            + properties.map { "        \(SwiftName.member($0.name)) = try fields.value(\"\($0.name)\")" } + ["    }"]
    }

    private func writing(_ properties: [Property]) -> [String] {
        let name = SwiftName.member(idName)
        var lines = ["    public var recordID: RecordID { RecordID(\(name)) }", ""]
        if properties.isEmpty { return lines + ["    public var fields: [String: Value] { [:] }"] }
        lines += ["    public var fields: [String: Value] {", "        get throws {", "            ["]
        lines += properties.map {
            "                \"\($0.name)\": try RecordFields.value(of: \(SwiftName.member($0.name))),"
        }
        return lines + ["            ]", "        }", "    }"]
    }

    private mutating func property(_ field: Schema.Attribute) -> Property {
        var comment: String?
        if let unit = field.unit { comment = "In \(unit)." }
        if field.merge != .latest {
            comment = [comment, "Merged by \(field.merge.rawValue)."].compactMap(\.self).joined(separator: " ")
        }
        if field.isUnique { comment = [comment, "Unique in its space."].compactMap(\.self).joined(separator: " ") }
        if case .reference(let target) = field.type.kind { comment = "The id of a \(target)." }
        let base = type(of: field.type.kind, field)
        let isReference = if case .reference = field.type.kind { true } else { false }
        let isOptional = field.type.isOptional || isReference
        return Property(
            name: field.name, type: base + (isOptional ? "?" : ""), standard: standard(field, base, isOptional),
            comment: comment, field: field)
    }

    private mutating func type(of kind: AttributeType.Kind, _ field: Schema.Attribute) -> String {
        switch kind {
        case .bool: "Bool"
        case .int: "Int"
        case .double: "Double"
        case .decimal: "DecimalText"
        case .string: "String"
        case .date: "Date"
        case .uuid: "UUID"
        case .data: "Data"
        case .enumeration(let name, let cases): enumerations.name(name, cases, of: entity.name)
        case .array(let element): "[\(type(of: element, field))]"
        case .codable: "JSONText"
        case .reference(let entity): schema.entity(entity)?.identityType == .string ? "String" : "UUID"
        }
    }

    private static func date(_ text: String) -> String? {
        guard let moment = try? Timestamp(text) else { return nil }
        return switch text {
        case "0001-01-01T00:00:00Z": ".distantPast"
        case "4001-01-01T00:00:00Z": ".distantFuture"
        default: "Date(timeIntervalSince1970: \(Double(moment.microseconds) / 1_000_000))"
        }
    }

    private func standard(_ field: Schema.Attribute, _ type: String, _ isOptional: Bool) -> String? {
        switch field.default {
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value):
            switch field.type.kind {
            case .enumeration: ".\(SwiftName.member(SwiftName.identifier(value)))"
            case .date: Self.date(value)
            case .data: value.isEmpty ? "Data()" : "Data(base64Encoded: \(SwiftName.literal(value))) ?? Data()"
            case .decimal: "DecimalText(\(SwiftName.literal(value))) ?? .zero"
            default: SwiftName.literal(value)
            }
        case .json("[]"): "[]"
        case .creation: "Date()"
        case .newID: "UUID()"
        case .json, .attribute, nil: isOptional ? "nil" : nil
        }
    }
}

/// Converts the names of a schema to Swift names.
enum SwiftName {
    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init", "inout",
        "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows", "static",
        "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do",
        "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "throw", "switch", "where", "while",
        "Any", "as", "await", "catch", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type",
        "Protocol",
    ]

    /// Returns the name of a type, which begins with a capital letter.
    static func type(_ name: String) -> String {
        let identifier = identifier(name)
        return identifier.prefix(1).uppercased() + identifier.dropFirst()
    }

    /// Returns the name of a member for its declaration, in backticks if it is a keyword.
    static func member(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Converts a text to a Swift identifier of letters, digits and underscores: `on hold` → `onHold`, `2x` → `_2x`.
    static func identifier(_ text: String) -> String {
        var result = ""
        var isStart = false
        for scalar in text.unicodeScalars {
            guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_" else {
                isStart = !result.isEmpty
                continue
            }
            result += isStart ? String(scalar).uppercased() : String(scalar)
            isStart = false
        }
        guard let first = result.unicodeScalars.first else { return "_empty" }
        return first.properties.numericType == nil ? result : "_" + result
    }

    static func literal(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }
}
