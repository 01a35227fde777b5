import Foundation
import SourceFacts
import StrictJSON
import Testing
import WireFormats

@testable import SchemaImport

/// Defaults of new attributes of a `Codable` type: the initial value of the app's class, or at least a value that the
/// app can decode.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct CodedDefaultTests {
    private typealias T = CodedTypes

    private static func make(_ function: String, _ arguments: [(String?, ExpressionFact)] = []) -> ExpressionFact {
        .call(function: function, arguments: arguments.map { ArgumentFact(label: $0.0, value: $0.1) })
    }

    private static func member(_ base: String?, _ name: String) -> ExpressionFact {
        .member(base: base, name: name, isImplicit: base == nil)
    }

    private static func decodes<Coded: Decodable & Equatable>(_ value: Coded) -> @Sendable (String) throws -> Bool
    where Coded: Sendable {
        { try JSONDecoder().decode(Coded.self, from: Data($0.utf8)) == value }
    }

    private static func decodes<Coded: Decodable & SendableMetatype>(as type: Coded.Type)
        -> @Sendable (String) throws -> Bool
    {
        {
            _ = try JSONDecoder().decode(Coded.self, from: Data($0.utf8))
            return true
        }
    }

    /// A property's type and initial value; whether the value is known, and the expected value of its JSON.
    private struct Property: Sendable {
        let type: String
        let value: ExpressionFact
        let isKnown: Bool
        /// Decodes the default; `nil` if none can be offered.
        let decodes: (@Sendable (String) throws -> Bool)?
    }

    private static let properties: [Property] = [
        .init(type: "CodedTypes.Prefs", value: make("CodedTypes.Prefs"), isKnown: true, decodes: decodes(T.Prefs())),
        .init(type: "CodedTypes.Prefs", value: make(".init"), isKnown: true, decodes: decodes(T.Prefs())),
        .init(
            type: "CodedTypes.Prefs",
            value: make("CodedTypes.Prefs", [("size", .integer("3")), ("title", .string("t"))]),
            isKnown: true, decodes: decodes(T.Prefs(size: 3, title: "t"))),
        .init(type: "CodedTypes.Nested", value: make("CodedTypes.Nested"), isKnown: true, decodes: decodes(T.Nested())),
        .init(type: "CodedTypes.Keyed", value: make("CodedTypes.Keyed"), isKnown: true, decodes: decodes(T.Keyed())),
        .init(
            type: "CodedTypes.Look", value: member("CodedTypes.Look", "plain"), isKnown: true,
            decodes: decodes(T.Look.plain)),
        .init(type: "CodedTypes.Look", value: member(nil, "plain"), isKnown: true, decodes: decodes(T.Look.plain)),
        .init(
            type: "CodedTypes.Look", value: make(".framed", [(nil, .integer("1"))]), isKnown: false,
            decodes: decodes(as: T.Look.self)),
        .init(
            type: "CodedTypes.Given", value: make("CodedTypes.Given", [("a", .integer("3"))]), isKnown: true,
            decodes: decodes(T.Given(a: 3))),
        .init(
            type: "CodedTypes.Given", value: member("CodedTypes.Given", "standard"), isKnown: true,
            decodes: decodes(T.Given.standard)),
        .init(
            type: "CodedTypes.Given", value: member(nil, "standard"), isKnown: true,
            decodes: decodes(T.Given.standard)),
        .init(
            type: "[CodedTypes.Given]", value: .array([make("CodedTypes.Given", [("a", .integer("1"))])]),
            isKnown: true,
            decodes: decodes([T.Given(a: 1)])),
        .init(
            type: "[String: CodedTypes.Look]",
            value: .dictionary([.init(key: .string("k"), value: member(nil, "plain"))]),
            isKnown: true, decodes: decodes(["k": T.Look.plain])),
        .init(type: "[UUID: Int]", value: .dictionary([]), isKnown: true, decodes: decodes([UUID: Int]())),
        .init(type: "[CodedTypes.Mood: Int]", value: .dictionary([]), isKnown: true, decodes: decodes([T.Mood: Int]())),
        .init(type: "[String: Int]", value: .dictionary([]), isKnown: true, decodes: decodes([String: Int]())),
        .init(type: "[Int: Int]", value: make("[Int: Int]"), isKnown: true, decodes: decodes([Int: Int]())),
        .init(type: "CGRect", value: member("CGRect", "zero"), isKnown: true, decodes: decodes(CGRect.zero)),
        .init(type: "CodedTypes.Box", value: make("CodedTypes.Box"), isKnown: true, decodes: decodes(as: T.Box.self)),
        .init(type: "CodedTypes.Own", value: make("CodedTypes.Own"), isKnown: false, decodes: decodes(as: T.Own.self)),
        .init(type: "CodedTypes.ByHand", value: make("CodedTypes.ByHand"), isKnown: false, decodes: nil),
        .init(type: "CodedTypes.Dated", value: make("CodedTypes.Dated"), isKnown: false, decodes: nil),
        .init(type: "Locale", value: member("Locale", "current"), isKnown: false, decodes: decodes(as: Locale.self)),
        .init(type: "CodedTypes.Prefs", value: make("makePrefs"), isKnown: false, decodes: decodes(as: T.Prefs.self)),
    ]

    private static let types = Result { try Corpus.facts("\(Corpus.root)/../Values/CodedTypes.swift").types }

    private static func facts(_ model: TypeFact) throws -> SourceFacts {
        Fact.sources(
            [
                Fact.version("SchemaV1", [1, 0, 0], [Fact.model("Card", [Fact.id])]),
                Fact.version("SchemaV2", [2, 0, 0], line: 9, [model]),
            ] + (try types.get()))
    }

    @Test(arguments: properties.indices)
    func whatIsStatedOrOfferedCanBeDecoded(_ index: Int) throws {
        let property = CodedDefaultTests.properties[index]
        let model = Fact.model("Card", [Fact.id, Fact.property("x", property.type, property.value)])
        let facts = try CodedDefaultTests.facts(model)
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: facts)], namespace: "Toy")
        let schema = result.versions[1].schema
        let stated = schema.entity("Card")?.attribute("x")?.default
        if property.isKnown {
            #expect(result.questions.isEmpty, "\(result.questions)")
            guard case .json(let json) = stated else {
                Issue.record("\(property.type): \(String(describing: stated))")
                return
            }
            #expect(try property.decodes?(json) == true, "\(json)")
            #expect(schema.problems.isEmpty)
            #expect(result.versions[0].schema.problems(inStageTo: schema).isEmpty)
        } else {
            #expect(stated == nil)
            #expect(result.questions.map(\.code) == [.standard])
            let statements = result.questions[0].choices.map(\.statement).filter { $0.contains("default: ") }
            #expect(statements.isEmpty == (property.decodes == nil), "\(statements)")
            for statement in statements {
                // The text within the quotes of `.json("…")`.
                let literal = try #require(statement.components(".json(\"").last)
                let json = String(literal.dropLast(3)).replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
                #expect(try property.decodes?(json) == true, "\(json)")
            }
        }
        // The plan now has the value of the sources.
        let draft = try #require(SourceHistory([.init(facts: facts)]).versions.last?.draft)
        #expect(!property.isKnown || DriftCheck(draft, against: schema).drifts.isEmpty)
    }

    @Test("The first version states nothing that no record needs")
    func theFirstVersionStatesNothing() throws {
        for property in CodedDefaultTests.properties where property.type.hasPrefix("CodedTypes") {
            var importer = SchemaImporter(app: "toy")
            let model = Fact.model("Card", [Fact.id, Fact.property("x", property.type, property.value)])
            let result = try importer.run(
                [.init(facts: Fact.sources([model] + (try CodedDefaultTests.types.get())))], namespace: "Toy")
            #expect(result.questions.isEmpty)
            #expect(result.versions[0].schema.entity("Card")?.attribute("x")?.default == nil)
        }
    }

    @Test(
        "A new attribute with a plain initial value raises no question",
        arguments: [
            ("Data", make("Data"), Default.string("")), ("Data?", make("Data"), .string("")),
            ("Date", member("Date", "distantPast"), "0001-01-01T00:00:00Z"),
            ("Date", member(nil, "distantFuture"), "4001-01-01T00:00:00Z"), ("UUID", make("UUID"), .newID),
            ("Date", make("Date", [("timeIntervalSince1970", .integer("0"))]), "1970-01-01T00:00:00Z"),
            ("Date", make("Date", [("timeIntervalSinceReferenceDate", .float("0.5"))]), "2001-01-01T00:00:00.500Z"),
        ])
    func aPlainBeginningIsStated(_ type: String, _ value: ExpressionFact, _ standard: Default) throws {
        let facts = try CodedDefaultTests.facts(Fact.model("Card", [Fact.id, Fact.property("x", type, value)]))
        var importer = SchemaImporter(app: "toy")
        let result = try importer.run([.init(facts: facts)], namespace: "Toy")
        #expect(result.questions.isEmpty)
        let schema = result.versions[1].schema
        #expect(schema.entity("Card")?.attribute("x")?.default == standard)
        #expect(schema.problems.isEmpty)
        #expect(result.versions[0].schema.problems(inStageTo: schema).isEmpty)
    }

    @Test("Foundation decodes the examples of its types")
    func foundationDecodesTheExamples() throws {
        let decoders: [String: @Sendable (String) throws -> Bool] = [
            "CGPoint": CodedDefaultTests.decodes(as: CGPoint.self),
            "CGRect": CodedDefaultTests.decodes(as: CGRect.self),
            "CGSize": CodedDefaultTests.decodes(as: CGSize.self),
            "DateComponents": CodedDefaultTests.decodes(as: DateComponents.self),
            "Duration": CodedDefaultTests.decodes(as: Duration.self),
            "IndexSet": CodedDefaultTests.decodes(as: IndexSet.self),
            "Locale": CodedDefaultTests.decodes(as: Locale.self),
            "NSRange": CodedDefaultTests.decodes(as: NSRange.self),
            "PersonNameComponents": CodedDefaultTests.decodes(as: PersonNameComponents.self),
            "TimeZone": CodedDefaultTests.decodes(as: TimeZone.self),
        ]
        for (name, json) in FrameworkTypes.examples {
            // Types of CoreGraphics only.
            guard let decode = decoders[name] else {
                #expect(name == "CGVector")
                continue
            }
            #expect(try decode(json), "\(name)")
        }
    }
}
