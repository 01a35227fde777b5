import Foundation
import SyncTestSupport

/// As much of JSON Schema (draft 2020-12) as the server's schemas use. A keyword that it does not know is an error, so
/// that no schema says something that nobody checks.
///
/// Ours, because Debian's validator brings Python along, which `script/bootstrap` would install on every machine that
/// only wants to serve.
struct JSONSchemaInterpreter {
    private let root: JSONValue
    private let expressions: [String: NSRegularExpression]

    init(root: JSONValue) throws {
        self.root = root
        expressions = try Dictionary(
            uniqueKeysWithValues: Self.patterns(in: root).map { ($0, try NSRegularExpression(pattern: $0)) })
    }

    struct UnknownKeyword: Error, CustomStringConvertible {
        let description: String
    }

    func accepts(_ value: JSONValue) throws -> Bool { try accepts(value, by: root) }

    private static let annotations: Set<String> = [
        "$schema", "$comment", "$defs", "title", "format", "contentEncoding",
    ]

    private func accepts(_ value: JSONValue, by schema: JSONValue) throws -> Bool {
        guard case .object(let keywords) = schema else { return schema == .bool(true) }
        return try keywords.allSatisfy { keyword, operand in
            try Self.annotations.contains(keyword) || satisfies(value, keyword, operand, keywords)
        }
    }

    private func satisfies(
        _ value: JSONValue, _ keyword: String, _ operand: JSONValue, _ all: [String: JSONValue]
    ) throws -> Bool {
        switch (keyword, operand, value) {
        case ("$ref", .string(let pointer), _): return try accepts(value, by: definition(pointer))
        case ("anyOf", .array(let schemas), _): return try schemas.contains { try accepts(value, by: $0) }
        case ("oneOf", .array(let schemas), _): return try schemas.count { try accepts(value, by: $0) } == 1
        case ("const", _, _): return value == operand
        case ("enum", .array(let values), _): return values.contains(value)
        case ("type", .array(let names), _): return names.contains { Self.isOf($0, value) }
        case ("type", _, _): return Self.isOf(operand, value)
        case ("minimum", _, .int), ("minimum", _, .double): return !Self.isLess(value, operand)
        case ("maximum", _, .int), ("maximum", _, .double): return !Self.isLess(operand, value)
        case ("pattern", .string(let pattern), .string(let text)): return matches(text, pattern)
        case ("maxLength", .int(let length), .string(let text)): return text.unicodeScalars.count <= length
        case ("maxItems", .int(let count), .array(let items)): return items.count <= count
        case ("maxProperties", .int(let count), .object(let members)): return members.count <= count
        case ("items", _, .array(let items)): return try items.allSatisfy { try accepts($0, by: operand) }
        case ("required", .array(let names), .object(let members)):
            return names.allSatisfy { members[$0.string ?? ""] != nil }
        case ("dependentRequired", .object(let needs), .object(let members)):
            return needs.allSatisfy { name, others in
                members[name] == nil || others.elements.allSatisfy { members[$0.string ?? ""] != nil }
            }
        case ("properties", .object(let schemas), .object(let members)):
            // In the order of names, ‘entity’ comes first, and decides for most alternatives.
            return try members.sorted { $0.key < $1.key }.allSatisfy { name, member in
                try schemas[name].map { try accepts(member, by: $0) } ?? true
            }
        case ("propertyNames", _, .object(let members)):
            return try members.keys.allSatisfy { try accepts(.string($0), by: operand) }
        case ("additionalProperties", _, .object(let members)):
            return try members.allSatisfy { name, member in
                if case .object(let known) = all["properties"], known[name] != nil { return true }
                return try accepts(member, by: operand)
            }
        case ("minimum", _, _), ("maximum", _, _), ("pattern", _, _), ("maxLength", _, _), ("maxItems", _, _),
            ("maxProperties", _, _), ("items", _, _), ("required", _, _), ("properties", _, _),
            ("propertyNames", _, _), ("additionalProperties", _, _), ("dependentRequired", _, _):
            // Keywords say something only of values of their type.
            return true
        default: throw UnknownKeyword(description: "\(keyword): \(operand)")
        }
    }

    private func definition(_ pointer: String) throws -> JSONValue {
        let name = String(pointer.dropFirst("#/$defs/".count)).removingPercentEncoding ?? ""
        guard case .object(let definitions) = root["$defs"], let definition = definitions[name] else {
            throw UnknownKeyword(description: pointer)
        }
        return definition
    }

    private static func isOf(_ type: JSONValue, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("integer", .int), ("number", .int), ("number", .double),
            ("string", .string), ("array", .array), ("object", .object):
            true
        case ("integer", .double(let number)): number == number.rounded()
        default: false
        }
    }

    private static func isLess(_ a: JSONValue, _ b: JSONValue) -> Bool {
        switch (a, b) {
        case (.int(let a), .int(let b)): a < b
        case (.int(let a), .double(let b)): Double(a) < b
        case (.double(let a), .int(let b)): a < Double(b)
        case (.double(let a), .double(let b)): a < b
        default: false
        }
    }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        expressions[pattern]?.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    private static func patterns(in schema: JSONValue) -> Set<String> {
        switch schema {
        case .object(let members):
            members.reduce(into: []) { found, member in
                if member.key == "pattern", case .string(let pattern) = member.value { found.insert(pattern) }
                found.formUnion(patterns(in: member.value))
            }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(patterns(in: $1)) }
        case .null, .bool, .int, .double, .string: []
        }
    }
}
