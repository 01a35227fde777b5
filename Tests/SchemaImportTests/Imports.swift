import SourceFacts
import WireFormats

@testable import SchemaImport

/// Imports of facts that are written in the test.
enum Imports {
    static func new(_ types: TypeFact..., renamings: [String] = []) throws -> ImportResult {
        var importer = SchemaImporter(app: "toy", renamings: renamings.compactMap { Renaming($0) })
        return try importer.run([.init(facts: Fact.sources(types))], namespace: "Toy")
    }

    /// Returns the members of a model in the only version.
    static func members(_ types: TypeFact..., of entity: String = "Trip") throws -> [String] {
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: Fact.sources(types))], namespace: "Toy")
        return result.versions.first?.schema.entity(entity)?.members.map(\.description) ?? []
    }

    /// Returns the schema's member for one property of a `Trip` with an id; or the code of the question about it.
    static func member(_ property: PropertyFact, _ others: [TypeFact] = []) throws -> String {
        var importer = SchemaImporter(app: "toy")
        let facts = Fact.sources([Fact.model("Trip", [Fact.id, property])] + others)
        let result = try importer.run([.init(facts: facts)], namespace: "Toy")
        let asked = result.questions.filter { $0.member == property.name }.map { "ask \($0.code.rawValue)" }
        let schema = result.versions[0].schema.entity("Trip")
        let members = schema?.members.filter { $0.name == property.name }.map(\.description) ?? []
        return (members + asked).joined(separator: ", ")
    }
}
