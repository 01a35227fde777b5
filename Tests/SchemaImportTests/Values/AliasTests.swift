import SourceFacts
import StrictJSON
import Testing
import WireFormats

@testable import SchemaImport

/// Aliases of standard types, whatever the sources add to those types.
@Suite struct AliasTests {
    private static func alias(_ name: String, _ target: String) -> TypeFact {
        TypeFact(kind: .typealias, name: name, location: Fact.at(1), target: Fact.named(target))
    }

    private static func extending(_ name: String, _ properties: [PropertyFact] = []) -> TypeFact {
        TypeFact(
            kind: .extension, name: name, location: Fact.at(2), inherited: [Fact.named("Translatable")],
            properties: properties)
    }

    /// Types, and the arguments that create one of their values without the type's name.
    private static let values: [(type: String, arguments: [ExpressionFact])] = [
        ("Bool", []), ("Int", []), ("Int64", [.integer("3")]), ("Double", []), ("Decimal", [.integer("5")]),
        ("String", []), ("Date", []), ("UUID", []), ("Data", []), ("Float", [.float("0.5")]), ("URL", []),
    ]

    /// Declarations beside the alias `Own` of the type.
    private static let surroundings: [@Sendable (String) -> [TypeFact]] = [
        { [alias("Own", $0)] }, { [alias("Own", $0), extending("Own")] }, { [alias("Own", $0), extending($0)] },
        { [extending($0), alias("Own", $0)] }, { [alias("Own", $0), extending("Own"), extending($0)] },
        { [extending($0), extending("Own"), alias("Own", $0)] },
        { [alias("Own", "Other"), alias("Other", $0), extending($0), extending("Other")] },
        { [alias("Own", "Foundation.\($0)"), extending("Foundation.\($0)")] },
        { [alias("Own", "Foundation.\($0)"), alias($0, "Foundation.\($0)"), extending($0)] },
        { [alias("Own", $0), alias($0, "Swift.\($0)")] },
    ]

    @Test("An alias is the type", arguments: surroundings.indices)
    func anAliasIsTheType(_ index: Int) throws {
        for (type, arguments) in AliasTests.values {
            let types = AliasTests.surroundings[index](type)
            let arguments = arguments.map { ArgumentFact(value: $0) }
            func value(_ name: String) -> ExpressionFact { .call(function: name, arguments: arguments) }
            for suffix in ["", "?"] {
                #expect(
                    try Imports.member(Fact.property("x", "Own\(suffix)"), types)
                        == Imports.member(Fact.property("x", "\(type)\(suffix)")))
            }
            #expect(
                try Imports.member(Fact.property("x", "[Own]"), types)
                    == Imports.member(Fact.property("x", "[\(type)]")))
            #expect(
                try Imports.member(Fact.property("x", "Own", value("Own")), types)
                    == Imports.member(Fact.property("x", type, value(type))))
            #expect(
                try Imports.member(Fact.property("x", nil, value("Own")), types)
                    == Imports.member(Fact.property("x", nil, value(type))))
        }
    }

    @Test(arguments: ["UUID", "String"])
    func anIdOfAnAliasIsTheRecordsOwn(_ type: String) throws {
        for others in [[AliasTests.extending(type)], [AliasTests.extending("ID")], []] {
            var importer = SchemaImporter(app: "toy")
            let model = Fact.model("Trip", types: [AliasTests.alias("ID", type)], [Fact.property("id", "ID")])
            let result = try importer.run([.init(facts: Fact.sources(others + [model]))], namespace: "Toy")
            #expect(result.questions.isEmpty)
            #expect(result.versions[0].schema.entity("Trip")?.identity == "id")
        }
    }

    @Test func constantsOfAnAliasAreThoseOfTheType() throws {
        let types = [
            AliasTests.alias("Money", "Decimal"), AliasTests.alias("Code", "String"),
            AliasTests.extending(
                "String", [Fact.property("standard", "String", .string("de"), modifiers: ["static"])]),
            AliasTests.extending("Decimal"),
        ]
        func constant(_ base: String, _ name: String) -> ExpressionFact {
            .member(base: base, name: name, isImplicit: false)
        }
        #expect(try Imports.member(Fact.property("x", "Money", constant("Money", "zero")), types) == "x: Decimal = 0")
        #expect(try Imports.member(Fact.property("x", nil, constant("Money", "zero")), types) == "x: Decimal = 0")
        for type in ["Code", nil] {
            #expect(
                try Imports.member(Fact.property("x", type, constant("Code", "standard")), types)
                    == "x: String = \"de\"")
        }
    }

    @Test("An alias of a framework's type that the sources make Codable is one, however they name it")
    func anAliasOfAFrameworksTypeMayBeCodable() throws {
        let codable = TypeFact(
            kind: .extension, name: "Place", location: Fact.at(3), inherited: [Fact.named("Codable")])
        let types = [AliasTests.alias("Place", "CLLocationCoordinate2D"), codable]
        #expect(
            try Imports.member(Fact.property("x", "CLLocationCoordinate2D?"), types) == "x: CLLocationCoordinate2D?")
        #expect(try !Imports.member(Fact.property("x", "Place"), types).contains("ask"))
    }

    @Test(
        "Aliases of themselves raise a question, and do not loop",
        arguments: [["A", "A"], ["A", "B", "A"], ["A", "Swift.A"]])
    func aliasesOfThemselvesEnd(_ names: [String]) throws {
        let types = zip(names, names.dropFirst()).map { AliasTests.alias($0, $1) }
        #expect(try Imports.member(Fact.property("x", "A"), types) == "ask type")
        #expect(
            try Imports.member(Fact.property("x", nil, .call(function: "A", arguments: [])), types).contains("ask"))
    }
}
