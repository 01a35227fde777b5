import SourceFacts
import WireFormats

@testable import SchemaImport

/// Core Data models written by hand, as short as the files that they replace.
enum Managed {
    static func attribute(
        _ name: String, _ type: String?, line: Int = 3, _ others: [String: String] = [:]
    ) -> ElementFact {
        var attributes = others.merging(["name": name]) { own, _ in own }
        if let type { attributes["attributeType"] = type }
        return ElementFact(name: "attribute", line: line, attributes: attributes)
    }

    static func relationship(
        _ name: String, _ target: String, inverse: String? = nil, isMany: Bool = false, line: Int = 4,
        _ others: [String: String] = [:]
    ) -> ElementFact {
        var attributes = ["name": name, "optional": "YES", "destinationEntity": target, "deletionRule": "Nullify"]
        if isMany { attributes["toMany"] = "YES" } else { attributes["maxCount"] = "1" }
        if let inverse { (attributes["inverseName"], attributes["inverseEntity"]) = (inverse, target) }
        return ElementFact(name: "relationship", line: line, attributes: attributes.merging(others) { $1 })
    }

    static func entity(_ name: String, line: Int = 2, _ elements: [ElementFact]) -> ElementFact {
        entity(name, line: line, [:], elements)
    }

    static func entity(
        _ name: String, line: Int = 2, _ others: [String: String], _ elements: [ElementFact]
    ) -> ElementFact {
        ElementFact(
            name: "entity", line: line,
            attributes: others.merging(["name": name, "syncable": "YES"]) { own, _ in own }, elements: elements)
    }

    /// Returns a constraint: no two records have equal values of all these attributes.
    static func unique(_ names: String...) -> ElementFact {
        let constraint = ElementFact(
            name: "uniquenessConstraint", line: 6,
            elements: names.map { ElementFact(name: "constraint", line: 6, attributes: ["value": $0]) })
        return ElementFact(name: "uniquenessConstraints", line: 6, elements: [constraint])
    }

    static func model(_ entities: ElementFact...) -> ElementFact {
        ElementFact(name: "model", line: 1, elements: entities)
    }

    static let id = attribute("id", "UUID")

    /// Returns a version of a bundle: `App.xcdatamodeld/App 2.xcdatamodel/contents`.
    static func version(_ name: String, _ root: ElementFact, in bundle: String = "App.xcdatamodeld") -> DocumentFact {
        DocumentFact(file: "\(bundle)/\(name).xcdatamodel/contents", root: root)
    }

    static func current(_ name: String, in bundle: String = "App.xcdatamodeld") -> DocumentFact {
        let dictionary = ElementFact(
            name: "dict", line: 4,
            elements: [
                ElementFact(name: "key", line: 5, text: "_XCCurrentVersionName"),
                ElementFact(name: "string", line: 6, text: "\(name).xcdatamodel"),
            ])
        return DocumentFact(
            file: "\(bundle)/.xccurrentversion", root: ElementFact(name: "plist", line: 3, elements: [dictionary]))
    }

    static func imported(
        _ documents: [DocumentFact], classes: [TypeFact] = [], paths: [String] = [], version: Schema.Version? = nil,
        renamings: [String] = []
    ) throws -> ImportResult {
        var importer = SchemaImporter(app: "toy", renamings: renamings.compactMap { Renaming($0) })
        var facts = SourceFacts(files: documents.map(\.file), types: classes)
        facts.documents = documents
        return try importer.run(
            [.init(version: version, facts: facts, models: ModelPaths(paths))], namespace: "Toy")
    }

    /// Imports versions of `App.xcdatamodeld`, of which the last is the current one.
    static func imported(versions roots: ElementFact...) throws -> ImportResult {
        let names = roots.indices.map { $0 == 0 ? "App" : "App \($0 + 1)" }
        return try imported(zip(names, roots).map { version($0, $1) } + [current(names[names.count - 1])])
    }

    /// Returns the members of an entity in the newest version, and the questions about it.
    static func members(_ result: ImportResult, of entity: String = "Item") -> [String] {
        let asked = result.questions.filter { $0.entity == entity }.map {
            "ask \($0.code.rawValue) \($0.member ?? "")"
        }
        return (result.versions.last?.schema.entity(entity)?.members.map(\.description) ?? []) + asked
    }
}
