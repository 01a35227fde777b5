import Foundation
import SourceFacts
import SourceReading
import Testing

/// Returns the declarations of a text, as those of a file `a.swift`.
func facts(_ text: String) -> SourceFacts { SourceReader.facts(text: text, name: "a.swift") }

/// Returns the only type of a text without problems.
func type(_ text: String) throws -> TypeFact {
    let facts = facts(text)
    #expect(facts.problems == [])
    try #require(facts.types.count == 1)
    return facts.types[0]
}

/// Returns the properties of a struct with these members, without problems.
func properties(_ members: String) throws -> [PropertyFact] { try type("struct S {\n\(members)\n}").properties }

/// Returns the initial value with this text.
func value(_ text: String) throws -> ExpressionFact? {
    let properties = try properties("var v = \(text)")
    try #require(properties.count == 1)
    return properties[0].value
}

/// Returns the type of a property with this text.
func reference(_ text: String) throws -> TypeReference? {
    let properties = try properties("var v: \(text)")
    try #require(properties.count == 1)
    return properties[0].type
}

/// Returns a type without arguments.
func named(_ name: String) -> TypeReference { .named(name, arguments: []) }

/// Returns the fact of `T.self`.
func metatype(_ name: String) -> ExpressionFact { .member(base: name, name: "self", isImplicit: false) }

/// Returns the fact of `.name`.
func dot(_ name: String) -> ExpressionFact { .member(base: nil, name: name, isImplicit: true) }

/// The program that was built with the tests.
let program = Bundle.main.bundleURL.appendingPathComponent("syncserver-sources")

/// Lends a folder that is deleted after `body`.
func withFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appendingPathComponent("sources-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

extension URL {
    /// Writes a file below a folder, and creates the folders of its path.
    func write(_ text: String, to path: String) throws {
        let file = appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
