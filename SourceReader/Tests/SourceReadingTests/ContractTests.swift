import Foundation
import SourceFacts
import SourceReading
import Testing

/// The contract of facts: each member occurs for some source, so that none is left out by mistake.
@Suite struct ContractTests {
    private let facts: SourceFacts

    init() {
        var facts = SourceReadingTests.facts(Sample.text)
        let model = "<model a=\"b\"><entity>text</entity></model>"
        facts.documents = DocumentReader.facts(text: model, name: "A.xcdatamodel/contents").documents
        self.facts = facts
    }

    private func all(_ types: [TypeFact]) -> [TypeFact] { types.flatMap { [$0] + all($0.types) } }

    /// Returns the names of the members of all objects in a value's JSON.
    private func keys(_ value: some Encodable) throws -> Set<String> {
        func collect(_ json: Any) -> Set<String> {
            if let object = json as? [String: Any] {
                return object.values.reduce(into: Set(object.keys)) { $0.formUnion(collect($1)) }
            }
            return (json as? [Any] ?? []).reduce(into: []) { $0.formUnion(collect($1)) }
        }
        return collect(try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)))
    }

    @Test func everyKindOfTypeOccurs() {
        let kinds = Set(all(facts.types).map(\.kind))
        #expect(kinds == [.class, .struct, .enum, .actor, .extension, .typealias, .protocol])
    }

    @Test func everyKindOfTypeReferenceAndExpressionOccurs() throws {
        let keys = try keys(facts)
        for reference in ["named", "optional", "array", "dictionary", "other"] { #expect(keys.contains(reference)) }
        for expression in [
            "string", "integer", "float", "bool", "null", "array", "dictionary", "member", "call", "keyPath", "closure",
            "other",
        ] { #expect(keys.contains(expression), "\(expression)") }
    }

    /// Uses reflection, so that a member that is added later fails here.
    @Test func everyMemberOfEveryFactIsSetSomewhere() {
        var set: Set<String> = []
        var unset: Set<String> = []
        func look(at value: Any) {
            let mirror = Mirror(reflecting: value)
            for (label, child) in mirror.children {
                let name = "\(Swift.type(of: value)).\(label ?? "")"
                let inner = Mirror(reflecting: child)
                let isEmpty =
                    inner.displayStyle == .optional || inner.displayStyle == .collection
                    ? inner.children.isEmpty : (child as? Bool) == false
                if mirror.displayStyle == .struct {
                    if isEmpty { unset.insert(name) } else { set.insert(name) }
                }
                look(at: child)
            }
        }
        look(at: facts)
        #expect(unset.subtracting(set) == [])
        #expect(set.contains("CaseFact.condition"))
    }

    @Test func theLayoutIsTheContracts() throws {
        #expect(facts.layout == SourceFacts.layout)
        #expect(try JSONDecoder().decode(SourceFacts.self, from: JSONEncoder().encode(facts)) == facts)
    }
}
