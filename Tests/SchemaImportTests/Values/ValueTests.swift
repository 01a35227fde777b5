import SourceFacts
import StrictJSON
import Testing
import WireFormats

@testable import SchemaImport

/// The attributes of stored properties.
@Suite struct ValueTests {
    @Test(arguments: [
        ("Bool", "Bool"), ("Int", "Int"), ("Int8", "Int"), ("UInt64", "Int"), ("Double", "Double"), ("Float", "Double"),
        ("CGFloat", "Double"), ("TimeInterval", "Double"), ("Decimal", "Decimal"), ("String", "String"),
        ("Character", "String"), ("Date", "Date"), ("UUID", "UUID"), ("Data", "Data"), ("URL", "String"),
        ("Foundation.Date", "Date"), ("String?", "String?"), ("Optional<Int>", "Int?"), ("[String]", "[String]"),
        ("Array<Int>", "[Int]"), ("Set<String>", "[String]"), ("[[Double]]?", "[[Double]]?"), ("[Int?]", "[Int?]"),
        ("Kind", "enum Kind (home, gone)"), ("[Kind]", "[enum Kind (home, gone)]"), ("Size?", "Int?"),
        ("Style", "Style"), ("Address", "Address"), ("Weekdays", "Weekdays"), ("Locale?", "Locale?"),
        ("Size.RawValue", "Int"), ("[Address]", "[Address]"), ("Box<Int>", "Box<Int>"),
        ("[String: Int]", "[String: Int]"), ("Name", "String"),
    ])
    func aTypeIsRead(_ written: String, _ read: String) throws {
        #expect(try Imports.member(Fact.property("x", written), ValueTests.types) == "x: \(read)")
    }

    @Test(arguments: ["Money", "(Int, Int)", "Closed", "[Money]", "[String: Money]", "Money?", "UIColor"])
    func aTypeThatTheSourcesDoNotTellIsAskedFor(_ written: String) throws {
        #expect(try Imports.member(Fact.property("x", written), ValueTests.types) == "ask type")
    }

    private static let types: [TypeFact] = [
        Fact.enumeration("Kind", "String", [("home", nil), ("away", .string("gone"))]),
        Fact.enumeration("Size", "Int", [("small", .integer("1")), ("large", nil)]),
        Fact.enumeration("Style", nil, [("plain", nil)]), Fact.structure("Address"), Fact.structure("Box"),
        Fact.structure("Closed", isCodable: false),
        TypeFact(
            kind: .struct, name: "Weekdays", location: Fact.at(70),
            inherited: [Fact.named("OptionSet"), Fact.named("Codable")]),
        TypeFact(kind: .typealias, name: "Name", location: Fact.at(80), target: Fact.named("String")),
        TypeFact(kind: .typealias, name: "Loop", location: Fact.at(81), target: Fact.named("Loop")),
        TypeFact(
            kind: .enum, name: "Limits", location: Fact.at(90),
            properties: [Fact.property("most", nil, .integer("12"), modifiers: ["static"])]),
    ]

    private static func some(_ function: String, _ value: ExpressionFact) -> ExpressionFact? {
        .call(function: function, arguments: [ArgumentFact(value: value)])
    }

    @Test(
        arguments: [
            (nil, .string(""), "x: String = \"\""), (nil, .integer("0"), "x: Int = 0"),
            (nil, .float("0.5"), "x: Double = 0.5"), (nil, .bool(true), "x: Bool = true"),
            (nil, .call(function: "Date", arguments: []), "x: Date = the time of creation"),
            (nil, .member(base: "Date", name: "now", isImplicit: false), "x: Date = the time of creation"),
            (nil, .call(function: "UUID", arguments: []), "x: UUID = an id of its own"),
            (nil, .call(function: "[String]", arguments: []), "x: [String] = []"),
            (nil, .call(function: "Set<String>", arguments: []), "x: [String] = []"),
            (nil, .member(base: "Kind", name: "away", isImplicit: false), "x: enum Kind (home, gone) = \"gone\""),
            (nil, .other("Decimal(string: \"19.99\")!"), "x: Decimal = 19.99"),
            (nil, .array([.integer("1"), .integer("0x10")]), "x: [Int] = [1,16]"),
            (nil, .member(base: "Limits", name: "most", isImplicit: false), "x: Int = 12"),
            ("Date", .some(Fact.implicit("now")), "x: Date = the time of creation"),
            ("Kind", .some(Fact.implicit("away")), "x: enum Kind (home, gone) = \"gone\""),
            ("Size", .some(Fact.implicit("large")), "x: Int = 2"),
            ("Double", .some(.integer("0")), "x: Double = 0.0"),
            ("Decimal", .some(.float("0.10")), "x: Decimal = \"0.10\""),
            ("Decimal", .some(.integer("-3")), "x: Decimal = -3"), ("Int", .some(Fact.implicit("zero")), "x: Int = 0"),
            ("[String]", .some(.array([])), "x: [String] = []"),
            ("[String: Int]", .some(.dictionary([])), "x: [String: Int] = {}"), ("String?", .some(.null), "x: String?"),
            ("UUID", .some(.call(function: ".init", arguments: [])), "x: UUID = an id of its own"),
            (nil, .member(base: "Optional<Int>", name: "none", isImplicit: false), "x: Int?"),
            (
                nil, .member(base: "Swift.Optional<[Kind]>", name: "none", isImplicit: false),
                "x: [enum Kind (home, gone)]?"
            ),
            (nil, .other("Int?.none"), "x: Int?"), (nil, .other("[String]?.none"), "x: [String]?"),
            (nil, .other("[String: Int]?.none"), "x: [String: Int]?"),
            ("Int?", .some(.member(base: "Optional", name: "none", isImplicit: false)), "x: Int?"),
            (nil, some("Optional", .integer("1")), "x: Int? = 1"),
            (nil, some("Optional.some", .string("a")), "x: String? = \"a\""),
            (nil, some("Optional<Int>.some", .integer("1")), "x: Int? = 1"),
            (nil, some("Optional<Kind>", Fact.implicit("away")), "x: enum Kind (home, gone)? = \"gone\""),
            ("Int?", some(".some", .integer("1")), "x: Int? = 1"),
        ] as [(String?, ExpressionFact?, String)])
    func anInitialValueIsADefaultAndTellsTheType(
        _ type: String?, _ value: ExpressionFact?, _ read: String
    ) throws {
        #expect(try Imports.member(Fact.property("x", type, value), ValueTests.types) == read)
    }

    @Test(
        arguments: [
            ("Date", Fact.implicit("distantPast"), "x: Date"),
            ("Data?", .call(function: "Data", arguments: []), "x: Data?"),
            ("String", .call(function: "make", arguments: [ArgumentFact(value: .integer("1"))]), "x: String"),
            ("String", .call(function: "make", arguments: []), "x: String"),
            ("Style", Fact.implicit("plain"), "x: Style"), ("Int", .string("1"), "x: Int"),
            (nil, .other(#""a\(1)""#), "x: String"), (nil, .other(#""a\(f("b)"))c""#), "x: String"),
            (nil, .other(##"#"a\#("x")""#"##), "x: String"), (nil, .other(#""a" + "b\(2)" + "c""#), "x: String"),
            (nil, .other("\"\"\"\n  a \"b\" \\(1)\n  \"\"\""), "x: String"),
            (nil, .other(#""a" == "b""#), "ask type"), (nil, .other(#""a\(1)".count"#), "ask type"),
            (nil, .other(#""a" + make()"#), "ask type"), (nil, .other(#""a\(1"#), "ask type"),
            (nil, .call(function: "make", arguments: []), "ask type"),
            (nil, .call(function: "Money", arguments: []), "ask type"),
        ] as [(String?, ExpressionFact, String)])
    func aValueThatAPlanCannotStateIsNoDefault(_ type: String?, _ value: ExpressionFact, _ read: String) throws {
        #expect(try Imports.member(Fact.property("x", type, value), ValueTests.types) == read)
    }

    @Test func whatIsNotStoredIsLeftOutAndSaid() throws {
        let result = try Imports.new(
            Fact.model(
                "Trip",
                [
                    Fact.id, Fact.property("shared", "Int", modifiers: ["static"]),
                    Fact.property("sum", "Int", isComputed: true),
                    Fact.property("draft", "Int", AttributeFact(name: "Transient", location: Fact.at(3))),
                    Fact.property("passing", "Int", Fact.attribute(["ephemeral"])),
                ]))
        #expect(result.versions[0].schema.entity("Trip")?.members.map(\.name) == ["id"])
        #expect(result.questions.isEmpty)
        #expect(result.notes.filter { $0.contains("not synced") }.count == 2)
    }

    @Test(arguments: [
        Fact.property("x", "Int", modifiers: ["lazy"]),
        Fact.property("x", "Int", AttributeFact(name: "Clamped", location: Fact.at(2))),
        Fact.property(
            "x", "Int",
            AttributeFact(
                name: "Attribute", arguments: [ArgumentFact(value: Fact.implicit("unheardOf"))], location: Fact.at(2))),
    ])
    func aPropertyThatMayNotBeStoredIsAskedForWithItsType(_ property: PropertyFact) throws {
        let result = try Imports.new(Fact.model("Trip", [Fact.id, property]))
        #expect(result.questions.map(\.code) == [.wrapper])
        #expect(result.questions[0].choices.first?.statement == "Attribute(\"x\", .int)")
        #expect(result.questions[0].place == "Models.swift:2")
        #expect(result.versions[0].schema.entity("Trip")?.attributes.isEmpty == true)
    }

    @Test func aTransformerIsAskedFor() throws {
        #expect(try Imports.member(Fact.property("x", "String", Fact.transformable)) == "ask type")
    }

    @Test(arguments: [
        ("PersistentIdentifier", ".uuid"), ("PersistentIdentifier?", ".uuid.optional"),
        ("[PersistentIdentifier]", ".array(of: .uuid)"), ("SwiftData.PersistentIdentifier?", ".uuid.optional"),
        ("[PersistentIdentifier]?", ".array(of: .uuid).optional"), ("NSManagedObjectID?", ".uuid.optional"),
    ])
    func whatAStoreCallsARecordStaysThereOrBecomesItsId(_ type: String, _ answer: String) throws {
        let result = try Imports.new(Fact.model("Trip", [Fact.id, Fact.property("x", type)]))
        #expect(result.questions.map(\.code) == [.type])
        #expect(
            result.questions[0].choices.map(\.statement) == [
                "Attribute(\"x\", .string.optional, scope: .local)", "Attribute(\"x\", \(answer))",
            ])
    }

    @Test("Every option that SwiftData has is known")
    func everyOptionIsKnown() throws {
        let options = [
            "allowsCloudEncryption", "codable", "ephemeral", "externalStorage", "preserveValueOnDeletion", "spotlight",
            "unique",
        ]
        for option in options {
            let result = try Imports.new(
                Fact.model("Trip", [Fact.id, Fact.property("x", "String", Fact.attribute([option]))]))
            #expect(result.questions.isEmpty, "\(option)")
            #expect(result.versions[0].schema.entity("Trip")?.attributes.isEmpty == (option == "ephemeral"))
        }
    }

    @Test func whatHasNoEffectIsNoted() throws {
        let result = try Imports.new(
            Fact.model(
                "Trip", [Fact.id, Fact.property("x", "Data", Fact.attribute(["externalStorage", "spotlight"]))]))
        #expect(
            result.notes == [
                "Models.swift:2: Trip.x: ‘.externalStorage’ has no effect here",
                "Models.swift:2: Trip.x: ‘.spotlight’ has no effect here",
            ])
    }

    @Test func aConditionIsAskedFor() throws {
        #expect(
            try Imports.member(Fact.property("x", "Int", condition: "os(iOS)")) == "x: Int, ask condition")
        let result = try Imports.new(Fact.model("Trip", condition: "DEBUG", [Fact.id]))
        #expect(result.questions.map(\.code) == [.condition])
    }
}
