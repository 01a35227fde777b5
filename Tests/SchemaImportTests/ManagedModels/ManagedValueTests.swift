import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// The attributes of a Core Data model, and their types and defaults in the plan.
@Suite struct ManagedValueTests {
    /// The model's type, the plan's type, and a default as the model and as the plan state it.
    static let types: [(type: String, kind: String, default: String, standard: String?)] = [
        ("Integer 16", "Int", "-7", "-7"), ("Integer 32", "Int", "70000", "70000"),
        ("Integer 64", "Int", "5000000000", "5000000000"), ("Decimal", "Decimal", "0.25", "0.25"),
        ("Double", "Double", "2.5", "2.5"), ("Float", "Double", "0.0", "0.0"),
        ("String", "String", "a \"b\"", "\"a \\\"b\\\"\""),
        ("Boolean", "Bool", "YES", "true"), ("Date", "Date", "12", "\"2001-01-01T00:00:12Z\""),
        ("Binary", "Data", "AAA=", nil),
        ("UUID", "UUID", "28DB6081-7A48-4ADE-B851-25966840B0B0", nil),
        ("URI", "String", "https://a.example", "\"https://a.example\""),
    ]

    /// Every type, optional or not, without a default, with an empty one, a valid one and an invalid one.
    @Test(arguments: types.indices, [false, true])
    func everyTypeIsRead(_ index: Int, _ isOptional: Bool) throws {
        let (type, kind, text, standard) = ManagedValueTests.types[index]
        let mark = isOptional ? "?" : ""
        for (given, expected) in [
            (nil, nil), ("", type == "String" ? "\"\"" : nil), (text, standard), ("\u{0}nonsense", nil),
        ] as [(String?, String?)] {
            var others = ["optional": isOptional ? "YES" : "NO", "usesScalarValueType": "YES"]
            others[type == "Date" ? "defaultDateTimeInterval" : "defaultValueString"] = given
            let item = Managed.entity("Item", [Managed.id, Managed.attribute("x", type, others)])
            let result = try Managed.imported(versions: Managed.model(item))
            let says = expected.map { " = \($0)" } ?? ""
            #expect(Managed.members(result).filter { $0.hasPrefix("x") } == ["x: \(kind)\(mark)\(says)"], "\(others)")
            // A default that the plan cannot state is reported; in a new entity no record needs it.
            let isLost = given.map { !$0.isEmpty && expected == nil } ?? false
            #expect(result.notes.contains { $0.contains("Item.x: its initial value is none") } == isLost, "\(others)")
            #expect(result.questions.isEmpty, "\(others)")
        }
    }

    /// The same types in an entity that an older version has without the attribute: the older records need a default.
    @Test(arguments: types.indices, [false, true])
    func everyTypeIsAskedForWhereOlderRecordsNeedADefault(_ index: Int, _ isOptional: Bool) throws {
        let (type, _, text, standard) = ManagedValueTests.types[index]
        for given in [nil, text] {
            var others = isOptional ? ["optional": "YES"] : [:]
            others[type == "Date" ? "defaultDateTimeInterval" : "defaultValueString"] = given
            let result = try Managed.imported(
                versions: Managed.model(Managed.entity("Item", [Managed.id])),
                Managed.model(Managed.entity("Item", [Managed.id, Managed.attribute("x", type, others)])))
            let isStated = given != nil && standard != nil
            let isLost = given != nil && standard == nil
            let expected = isStated ? [] : isLost ? ["default x"] : isOptional ? [] : ["plan x"]
            #expect(result.questions.map { "\($0.code.rawValue) \($0.member ?? "")" } == expected, "\(type) \(others)")
        }
    }

    @Test(arguments: [
        ("Integer 16", "32767", true), ("Integer 16", "-32768", true), ("Integer 16", "32768", false),
        ("Integer 32", "-2147483649", false), ("Integer 64", "9223372036854775808", false),
        ("Integer 32", "1.5", false), ("Integer 64", "0.0", true),
        ("Double", "inf", false), ("Double", "1e400", false), ("Decimal", "0.1000000000000000055511151231257827", true),
        ("Decimal", "one", false), ("Boolean", "MAYBE", false), ("Boolean", "0", true), ("Double", "3", true),
    ])
    func aDefaultFitsOrIsAskedFor(_ type: String, _ text: String, _ fits: Bool) throws {
        let result = try Managed.imported(
            versions: Managed.model(Managed.entity("Item", [Managed.id])),
            Managed.model(
                Managed.entity("Item", [Managed.id, Managed.attribute("x", type, ["defaultValueString": text])])))
        #expect(result.questions.map(\.code) == (fits ? [] : [.standard]))
    }

    @Test func whatNoPlanHasATypeForIsAskedAndLeftOut() throws {
        let spacing = ElementFact(
            name: "composite", line: 9, attributes: ["name": "Spacing"],
            elements: [Managed.attribute("rows", "Double"), Managed.attribute("between", "Double")])
        let item = Managed.entity(
            "Item",
            [
                Managed.id,
                Managed.attribute("list", "Transformable", ["customClassName": "[Int64]", "optional": "YES"]),
                Managed.attribute("color", "Transformable", ["customClassName": "UIColor", "optional": "YES"]),
                Managed.attribute("any", "Transformable"),
                Managed.attribute("space", "Composite", ["composite": "Spacing"]),
                Managed.attribute("none", nil, ["optional": "YES"]),
                Managed.attribute("new", "Vector", ["optional": "YES"]),
            ])
        let result = try Managed.imported(versions: Managed.model(item, spacing))
        #expect(
            result.questions.map { "\($0.code) \($0.member ?? "")" }
                == ["list", "color", "any", "space", "none", "new"].map { "type \($0)" })
        #expect(result.questions.map(\.leavesOut) == Array(repeating: true, count: 6))
        #expect(
            result.questions.map { $0.choices[0].statement } == [
                "Attribute(\"list\", .array(of: .int).optional)",
                "Attribute(\"color\", .codable(\"UIColor\").optional)",
                "Attribute(\"any\", .data)", "Attribute(\"space\", .codable(\"Spacing\"))",
                "Attribute(\"none\", .string.optional)", "Attribute(\"new\", .string.optional)",
            ])
        #expect(result.questions[3].choices[1].effect.contains("‘space’ + ‘rows’, ‘space’ + ‘between’"))
        #expect(result.questions[0].place == "App.xcdatamodeld/App.xcdatamodel/contents:3")
    }

    @Test func whatIsNotStoredOrNotSyncedIsSaid() throws {
        let item = Managed.entity(
            "Item",
            [
                Managed.id, Managed.attribute("now", "Date", ["derived": "YES", "derivationExpression": "now()"]),
                Managed.attribute("picked", "Boolean", ["transient": "YES"]),
                Managed.attribute("secret", "String", ["syncable": "NO"]),
                ElementFact(name: "fetchedProperty", line: 7, attributes: ["name": "others"]),
                ElementFact(name: "fetchIndex", line: 8, attributes: ["name": "byX"]),
                ElementFact(name: "userInfo", line: 9), ElementFact(name: "novelty", line: 10),
                Managed.attribute("note", "String", ["maxValueString": "9", "indexed": "YES", "shiny": "YES"]),
            ])
        let result = try Managed.imported(versions: Managed.model(item))
        #expect(Managed.members(result).contains("ask condition secret"))
        #expect(result.versions[0].schema.entity("Item")?.attributes.map(\.name) == ["secret", "note"])
        for words in [
            "Item.now: not synced: each device derives it itself (now())",
            "Item.picked: not synced: the store does not",
            "Item.others: a fetched property", "Item: an index has no effect", "Item: ‘userInfo’ has no effect",
            "Item: ‘novelty’ is not known here", "Item.note: what is allowed is for each device", "Item.note: an index",
            "Item.note: ‘shiny’ is not known here",
        ] {
            #expect(result.notes.contains { $0.contains(words) }, "\(words)")
        }
    }

    @Test func theIdIsAUUIDOrATextOrIsAskedFor() throws {
        for (attribute, expected) in [
            (Managed.id, []), (Managed.attribute("id", "String"), []),
            (
                Managed.attribute("id", "UUID", ["optional": "YES"]),
                ["identity: Identity(\"id\") instead of the attribute"]
            ),
            (
                Managed.attribute("id", "String", ["optional": "YES"]),
                ["identity: Identity(\"id\", .string) instead of the attribute"]
            ),
            (Managed.attribute("id", "Integer 64"), ["identity: remove this"]),
            (Managed.attribute("id", "URI"), ["identity: remove this"]),
            (Managed.attribute("key", "UUID"), []),
        ] as [(ElementFact, [String])] {
            let result = try Managed.imported(versions: Managed.model(Managed.entity("Item", [attribute])))
            let asked = result.questions.map { "\($0.code.rawValue): \($0.choices[0].statement)" }
            #expect(asked == expected, "\(attribute.attributes)")
            let identity = result.versions[0].schema.entity("Item")?.identity
            #expect((identity == nil) == (attribute.value("name") == "key" || !expected.isEmpty))
        }
        let unique = try Managed.imported(
            versions: Managed.model(Managed.entity("Item", [Managed.attribute("key", "UUID"), Managed.unique("key")])))
        #expect(unique.questions.map { $0.choices[0].statement } == ["Identity(\"key\") instead of the attribute"])
    }

    @Test func uniquenessIsKeptOrAskedFor() throws {
        let item = Managed.entity(
            "Item",
            [
                Managed.id, Managed.attribute("name", "String", ["defaultValueString": ""]),
                Managed.attribute("a", "String"),
                Managed.attribute("b", "Integer 16"), Managed.attribute("size", "Double"), Managed.unique("name"),
                Managed.unique("a", "b"), Managed.unique("name", "b"), Managed.unique("size"), Managed.unique("id"),
            ])
        let result = try Managed.imported(versions: Managed.model(item))
        #expect(Managed.members(result).contains("name: String, unique"))
        #expect(result.notes.contains { $0.contains("Item.name: its default is left out, as no two may have it") })
        #expect(
            result.notes.contains { $0.contains("no two have the same name, b together, as no two have the same name") }
        )
        #expect(result.questions.map(\.code) == [.uniqueness, .uniqueness])
        #expect(result.questions[0].choices[1].statement.hasPrefix("Attribute(\"aAndB\", .string.optional, .unique)"))
        #expect(result.questions[1].text.contains("size, which cannot be unique"))
    }
}
