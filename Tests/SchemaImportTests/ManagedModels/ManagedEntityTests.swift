import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// Entities, the members that they inherit, and their relationships.
@Suite struct ManagedEntityTests {
    // MARK: Inheritance

    private let base = Managed.entity("Base", [Managed.id, Managed.attribute("made", "Date", ["optional": "YES"])])
    private let abstractBase = Managed.entity(
        "Base", ["isAbstract": "YES"], [Managed.id, Managed.attribute("made", "Date", ["optional": "YES"])])
    private let child = Managed.entity(
        "Child", ["parentEntity": "Base"], [Managed.attribute("size", "Double", ["optional": "YES"])])

    @Test func anAbstractParentIsNoQuestion() throws {
        let result = try Managed.imported(versions: Managed.model(child, abstractBase))
        #expect(result.versions[0].schema.entities.map(\.name) == ["Child"])
        #expect(result.versions[0].schema.entity("Child")?.identity == "id")
        #expect(result.versions[0].schema.entity("Child")?.attributes.map(\.name) == ["made", "size"])
        #expect(result.questions == [])
        #expect(result.notes.contains { $0.contains("Child: an entity of its own, with the attributes of ‘Base’") })
    }

    @Test func aParentWithRecordsIsAskedFor() throws {
        let result = try Managed.imported(versions: Managed.model(base, child))
        #expect(result.versions[0].schema.entities.map(\.name) == ["Base", "Child"])
        #expect(result.questions.map(\.code) == [.inheritance])
        #expect(result.questions[0].choices[0].statement == "remove this")
    }

    /// A relationship to the parent may refer to a record of the child, which in the plan is not a record of the
    /// parent.
    @Test(arguments: [false, true]) func whatLeadsToAParentIsNotDropped(_ isAbstract: Bool) throws {
        let note = Managed.entity(
            "Note",
            [
                Managed.id, Managed.relationship("about", "Base", inverse: "notes"),
                Managed.relationship("child", "Child"),
            ])
        let owner = (isAbstract ? abstractBase : base)
        var parent = owner
        parent.elements.append(Managed.relationship("notes", "Note", inverse: "about", isMany: true))
        let result = try Managed.imported(versions: Managed.model(parent, child, note))
        #expect(result.versions[0].schema.entity("Note")?.relationships.map(\.name) == ["child"])
        let asked = result.questions.filter { $0.member == "about" }
        #expect(asked.map(\.code) == [.inheritance])
        #expect(asked.first?.leavesOut == true)
        #expect(asked.first?.choices[0].statement == "Relationship(\"about\", toOne: \"Base\")")
        // The list at the other end belongs to parent and child; a shared list is offered first.
        #expect(
            Set(result.questions.filter { $0.member == "notes" }.compactMap(\.entity))
                == (isAbstract ? ["Child"] : ["Base", "Child"]))
        let own = try #require(result.questions.first { $0.entity == "Child" && $0.member == nil })
        #expect(own.choices[0].statement == "Attribute(\"kind\", .string) in ‘Base’")
    }

    @Test func anAbstractEntityWithoutHeirsIsLeftOutAndSaid() throws {
        let note = Managed.entity("Note", [Managed.id, Managed.relationship("about", "Base")])
        let result = try Managed.imported(versions: Managed.model(abstractBase, note))
        #expect(result.versions[0].schema.entities.map(\.name) == ["Note"])
        #expect(result.questions == [])
        #expect(result.notes.contains { $0.contains("Base: abstract, and nothing inherits from it: left out") })
        #expect(result.notes.contains { $0.contains("Note.about: left out: ‘Base’ is abstract") })
    }

    @Test(arguments: ["Child", "Gone", "Other"]) func aParentThatCannotBeIsAskedFor(_ parent: String) throws {
        let one = Managed.entity("Child", ["parentEntity": parent], [Managed.id])
        let other = Managed.entity("Other", ["parentEntity": "Child"], [])
        let result = try Managed.imported(versions: Managed.model(one, other))
        #expect(result.questions.contains { $0.code == .duplicate && $0.text.contains("the parent of") })
    }

    @Test func twoOfOneNameAndOnesWithoutAreAskedFor() throws {
        let result = try Managed.imported(
            versions: Managed.model(
                Managed.entity("Item", [Managed.id, Managed.attribute("", "String")]),
                Managed.entity("Item", line: 8, []),
                Managed.entity("", line: 9, [])))
        #expect(result.questions.map(\.code) == [.duplicate, .duplicate, .duplicate])
        #expect(result.questions.map(\.place.last).sorted { "\($0 ?? " ")" < "\($1 ?? " ")" } == ["3", "8", "9"])
    }

    // MARK: Relationships

    @Test(arguments: [
        ("Nullify", Schema.DeleteRule.nullify), ("Cascade", .cascade), ("Deny", .deny), ("No Action", .noAction),
    ])
    func deleteRulesAreKept(_ written: String, _ rule: Schema.DeleteRule) throws {
        let result = try Managed.imported(
            versions: Managed.model(
                Managed.entity(
                    "Bed",
                    [
                        Managed.id,
                        Managed.relationship(
                            "plants", "Plant", inverse: "bed", isMany: true, ["deletionRule": written]),
                    ]),
                Managed.entity(
                    "Plant",
                    [Managed.id, Managed.relationship("bed", "Bed", inverse: "plants", ["deletionRule": written])])))
        #expect(result.questions == [])
        #expect(result.versions[0].schema.entities.flatMap(\.relationships).map(\.deleteRule) == [rule, rule])
        #expect(result.versions[0].schema.entity("Bed")?.relationships.map(\.inverse) == ["bed"])
    }

    @Test func anUnknownDeleteRuleIsAskedFor() throws {
        let plant = Managed.entity(
            "Plant", [Managed.id, Managed.relationship("bed", "Plant", ["deletionRule": "Vanish"])])
        #expect(try Managed.imported(versions: Managed.model(plant)).questions.map(\.code) == [.type])
    }

    @Test func twoListsNeedAModelBetween() throws {
        let result = try Managed.imported(
            versions: Managed.model(
                Managed.entity(
                    "Plant", [Managed.id, Managed.relationship("tags", "Tag", inverse: "plants", isMany: true)]),
                Managed.entity(
                    "Tag", [Managed.id, Managed.relationship("plants", "Plant", inverse: "tags", isMany: true)])))
        #expect(
            result.questions.map { "\($0.code) \($0.subject)" } == ["manyToMany Plant.tags", "manyToMany Tag.plants"])
        let own = Managed.entity(
            "Person", [Managed.id, Managed.relationship("friends", "Person", inverse: "friends", isMany: true)])
        let friends = try Managed.imported(versions: Managed.model(own))
        #expect(friends.questions.map(\.code) == [.manyToMany])
        #expect(friends.questions[0].choices[0].statement.contains("toMany: \"PersonPair\""))
    }

    /// In Core Data a relationship without a stated inverse has none, even if another one leads back.
    @Test func anInverseIsNotGuessed() throws {
        let result = try Managed.imported(
            versions: Managed.model(
                Managed.entity("Bed", [Managed.id, Managed.relationship("plants", "Plant", isMany: true)]),
                Managed.entity("Plant", [Managed.id, Managed.relationship("bed", "Bed")])))
        #expect(result.questions.map { "\($0.code) \($0.subject)" } == ["inverse Bed.plants"])
        #expect(result.versions[0].schema.entity("Plant")?.relationships.map(\.name) == ["bed"])
    }

    @Test func whatLeadsNowhereIsAskedForAndOrderToo() throws {
        var nowhere = Managed.relationship("nowhere", "Gone", inverse: "x")
        let gone = Managed.entity("Plant", [Managed.id, nowhere])
        #expect(
            try Managed.imported(versions: Managed.model(gone)).questions.map { "\($0.code) \($0.leavesOut)" } == [
                "type true"
            ])
        nowhere.attributes["destinationEntity"] = nil
        let none = Managed.entity("Plant", [Managed.id, nowhere])
        #expect(try Managed.imported(versions: Managed.model(none)).questions.map(\.code) == [.type])
        let ordered = try Managed.imported(
            versions: Managed.model(
                Managed.entity(
                    "Bed",
                    [
                        Managed.id,
                        Managed.relationship("plants", "Plant", inverse: "bed", isMany: true, ["ordered": "YES"]),
                    ]),
                Managed.entity(
                    "Plant", [Managed.id, Managed.relationship("bed", "Bed", inverse: "plants", ["optional": "NO"])])))
        #expect(ordered.questions.map(\.code) == [.order])
        #expect(ordered.versions[0].schema.entity("Bed")?.relationships.map(\.name) == ["plants"])
        #expect(ordered.notes.contains { $0.contains("Plant.bed: required by the store") })
    }

    @Test func whatCloudKitDidNotHaveIsAskedFor() throws {
        func configuration(_ name: String, _ members: [String], _ cloud: String) -> ElementFact {
            ElementFact(
                name: "configuration", line: 20, attributes: ["name": name, "usedWithCloudKit": cloud],
                elements: members.map { ElementFact(name: "memberEntity", line: 21, attributes: ["name": $0]) })
        }
        let result = try Managed.imported(
            versions: Managed.model(
                Managed.entity("Note", [Managed.id]), Managed.entity("Draft", [Managed.id]),
                configuration("Cloud", ["Note"], "YES"), configuration("Local", ["Draft"], "NO")))
        #expect(result.questions.map { "\($0.code) \($0.subject)" } == ["condition Draft"])
        #expect(result.questions[0].choices[0].statement == "Model(\"Draft\", scope: .local)")
        #expect(result.notes.contains { $0.contains("CloudKit mirrors this model") })
        #expect(result.notes.contains { $0.contains("keeps an entity (‘Cloud’, ‘Local’)") })
    }

    // MARK: Anything

    /// Models with random names and values: each is read, refused or asked about, and never traps.
    @Test func anyModelIsReadOrRefused() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        let words = [
            "A", "B", "C", "id", "x", "y", "", "YES", "NO", "é \"\\", "Model 2", "1.2.3", "99999999999999999999",
        ]
        let keys = [
            "name", "parentEntity", "isAbstract", "optional", "attributeType", "defaultValueString", "elementID",
            "toMany",
            "destinationEntity", "inverseName", "deletionRule", "ordered", "value", "syncable", "composite", "minCount",
        ]
        let types = ManagedValueTests.types.map(\.type) + ["Transformable", "Composite", "Cascade", "Odd"]
        let names = [
            "entity", "attribute", "relationship", "fetchedProperty", "uniquenessConstraints", "constraint", "odd",
        ]
        func element(_ depth: Int) -> ElementFact {
            let attributes = (0..<next(9)).map { _ in
                (keys[next(keys.count)], next(3) == 0 ? types[next(types.count)] : words[next(words.count)])
            }
            return ElementFact(
                name: depth == 1 && next(4) > 0 ? "entity" : names[next(names.count)], line: next(100),
                attributes: Dictionary(attributes) { $1 },
                elements: depth > 4 ? [] : (0..<next(5)).map { _ in element(depth + 1) })
        }
        for round in 0..<2_000 {
            let documents = (0..<(1 + next(3))).map { _ in
                let root = ElementFact(name: "model", line: 1, elements: (0..<next(5)).map { _ in element(1) })
                return Managed.version(words[next(words.count)], root)
            }
            let result = try? Managed.imported(documents + [Managed.current(words[next(words.count)])])
            #expect(result.map { !$0.files.isEmpty } ?? true, "seed \(seed), round \(round)")
        }
    }
}
