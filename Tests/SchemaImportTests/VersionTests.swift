import SourceFacts
import StrictJSON
import Testing
import WireFormats

@testable import SchemaImport

/// The versions that the sources declare, and the stages between them.
@Suite struct VersionTests {
    private func trip(_ properties: PropertyFact..., inherits: [String] = []) -> TypeFact {
        Fact.model("Trip", inherits: inherits, [Fact.id] + properties)
    }

    private func text(_ result: ImportResult, _ name: String) throws -> String {
        try #require(result.files.first { $0.name == name }).text
    }

    @Test func modelsWithoutVersionsAreOne() throws {
        let result = try Imports.new(trip(Fact.property("name", "String")))
        #expect(result.versions.map { "\($0.schema.version)" } == ["1.0.0"])
        #expect(result.files.map(\.name) == ["Toy.swift", "Toy+SchemaV1.swift", "ToyPlan.swift"])
    }

    @Test func versionsAreInTheOrderOfTheirNumbers() throws {
        let result = try Imports.new(
            Fact.version("Second", [1, 10, 0], [trip()]), Fact.version("First", [1, 9], [trip()]))
        #expect(result.versions.map { "\($0.schema.version)" } == ["1.9.0", "1.10.0"])
        #expect(result.files[1].name == "Toy+First.swift")
        #expect(try text(result, "Toy+Second.swift").contains("            Inherits(First.self)\n        }"))
    }

    @Test func aNameMeansTheTypeOfItsVersionThenThoseAround() throws {
        let alias = TypeFact(
            kind: .typealias, name: "Day", location: Fact.at(3), target: Fact.named("SchemaV1.Day"))
        let kind = Fact.enumeration("Kind", "String", [("inner", nil)])
        let result = try Imports.new(
            Fact.enumeration("Kind", "String", [("outer", nil)]),
            Fact.version(
                "SchemaV1", [1, 0, 0],
                [trip(Fact.property("days", "[Day]")), Fact.model("Day", [Fact.id, Fact.property("trip", "Trip?")])]),
            Fact.version(
                "SchemaV2", [2, 0, 0], models: .array([Fact.metatype("Trip"), Fact.metatype("Day")]),
                [
                    trip(Fact.property("days", "[Day]"), Fact.property("kind", "Kind")), alias, kind,
                ]))
        let second = result.versions[1].schema
        #expect(second.entities.map(\.name) == ["Trip", "Day"])
        #expect(second.entity("Trip")?.attribute("kind")?.type == .enumeration("Kind", ["inner"]))
        // The reused class refers to the first version's trip, and a record to a record.
        #expect(second.entity("Day")?.relationships.map(\.target) == ["Trip"])
        #expect(result.notes.contains { $0.contains("taken for ‘SchemaV2.Trip’") })
        #expect(
            result.questions.map(\.text) == [
                "it is required and has no default, so records of older versions "
                    + "would have no value for it [missing-default]"
            ])
    }

    /// The plan's check asks if names or positions are alike; none is here.
    @Test func whatIsGoneBesideSomethingNewOfItsTypeIsAskedAbout() throws {
        func imported(_ new: PropertyFact, renamings: [String] = []) throws -> ImportResult {
            try Imports.new(
                Fact.version("SchemaV1", [1, 0, 0], [trip(Fact.property("bestBefore", "Date?"))]),
                Fact.version("SchemaV2", [2, 0, 0], [trip(new, Fact.property("note", "String?"))]),
                renamings: renamings)
        }
        let result = try imported(Fact.property("useBy", "Date?"))
        #expect(result.questions.map(\.subject) == ["Trip.bestBefore"])
        #expect(try text(result, "ToyPlan.swift").contains("Undecided("))
        #expect(try imported(Fact.property("count", "Int?")).questions.isEmpty)
        let answered = try imported(Fact.property("useBy", "Date?"), renamings: ["Trip.bestBefore=useBy"])
        #expect(answered.questions.isEmpty)
        #expect(answered.versions[1].schema.entity("Trip")?.attribute("useBy")?.originalName == "bestBefore")
    }

    @Test func modelsInAnExtensionAreTheVersions() throws {
        var version = Fact.version("SchemaV1", [1, 0, 0], models: .array([Fact.metatype("SchemaV1.Trip")]), [])
        version.inherited = []
        let result = try Imports.new(
            version,
            TypeFact(
                kind: .extension, name: "SchemaV1", location: Fact.at(9), inherited: [Fact.named("VersionedSchema")],
                types: [trip()]))
        #expect(result.versions[0].schema.entities.map(\.name) == ["Trip"])
    }

    @Test func aListMayBeginWithAnothersModels() throws {
        let result = try Imports.new(
            Fact.version("SchemaV1", [1, 0, 0], [trip()]),
            Fact.version(
                "SchemaV2", [2, 0, 0], models: .other("SchemaV1.models + [Car.self]"), [Fact.model("Car", [Fact.id])]))
        #expect(result.versions[1].schema.entities.map(\.name) == ["Trip", "Car"])
    }

    @Test func classesOfTodayInAnOlderVersionAreAskedFor() throws {
        let models = ExpressionFact.array([Fact.metatype("Trip"), Fact.metatype("Kept")])
        let result = try Imports.new(
            trip(), Fact.version("SchemaV1", [1, 0, 0], line: 5, models: models, [Fact.model("Kept", [Fact.id])]),
            Fact.version(
                "SchemaV2", [2, 0, 0], models: .array([Fact.metatype("Trip"), Fact.metatype("SchemaV1.Kept")]), []))
        #expect(result.questions.map(\.code) == [.shape])
        #expect(result.questions.first?.place == "Models.swift:5")
        #expect(result.questions.first?.text.hasPrefix("‘SchemaV1’ shares ‘Trip’ with a newer version") == true)
    }

    @Test func whatIsAskedInTwoVersionsUnderTwoNamesIsOneThing() throws {
        let result = try Imports.new(
            Fact.version(
                "SchemaV1", [1, 0, 0],
                [
                    Fact.model("Trip", [Fact.id, Fact.property("tags", "[Tag]"), Fact.property("price", "Money")]),
                    Fact.model("Tag", [Fact.id, Fact.property("trips", "[Trip]")]),
                ]),
            Fact.version(
                "SchemaV2", [2, 0, 0],
                [
                    Fact.model(
                        "Trip",
                        [
                            Fact.id,
                            Fact.property(
                                "storedTags", "[Tag]", nil,
                                AttributeFact(
                                    name: "Relationship",
                                    arguments: [ArgumentFact(label: "originalName", value: .string("tags"))],
                                    location: Fact.at(2))),
                        ]), Fact.model("Tag", [Fact.id, Fact.property("trips", "[Trip]")]),
                ]))
        let second = try #require(result.questions.first { $0.member == "storedTags" })
        #expect(second.choices.allSatisfy { $0.statement.hasSuffix(", originalName: \"tags\")") })
        #expect(
            result.questions.filter { $0.member == "tags" }.allSatisfy { !"\($0.choices)".contains("originalName") })
        #expect(result.notes.contains { $0.contains("Trip.price: gone in 2.0.0: write ‘Removed(\"price\")’") })
    }

    @Test(arguments: [
        ExpressionFact.member(base: nil, name: "all", isImplicit: false),
        .member(base: "Lists", name: "all", isImplicit: false), .other("all + [Car.self]"),
        .other("Lists.all + Self.cars"),
    ])
    func aListMayHaveItsModelsElsewhere(_ models: ExpressionFact) throws {
        let all = Fact.property("all", nil, .array([Fact.metatype("Trip")]), modifiers: ["static"], isComputed: true)
        let cars = Fact.property("cars", nil, .array([Fact.metatype("Car")]), modifiers: ["static"], isComputed: true)
        var version = Fact.version(
            "SchemaV1", [1, 0, 0], models: models, [trip(), Fact.model("Car", [Fact.id])])
        version.properties += [all, cars]
        let lists = TypeFact(
            kind: .enum, name: "Lists", location: Fact.at(60),
            properties: [
                Fact.property(
                    "all", nil, .array([Fact.metatype("SchemaV1.Trip")]), modifiers: ["static"], isComputed: true)
            ])
        let result = try Imports.new(version, lists)
        let isWithCar = if case .other = models { true } else { false }
        #expect(result.versions[0].schema.entities.map(\.name) == (isWithCar ? ["Trip", "Car"] : ["Trip"]))
        #expect(result.questions.isEmpty, "\(result.questions)")
    }

    @Test func aListThatIsItselfIsSaid() throws {
        let result = try Imports.new(
            Fact.version(
                "SchemaV1", [1, 0, 0], models: .member(base: "SchemaV1", name: "models", isImplicit: false), [trip()]))
        #expect(result.questions.map(\.code) == [.version])
    }

    @Test func whatCannotBeReadOfAVersionIsSaid() throws {
        var unnumbered = Fact.version("SchemaV2", [2], line: 20, [trip()])
        unnumbered.properties[0].value = .other("number()")
        let result = try Imports.new(
            Fact.version(
                "SchemaV1", [1, 0, 0], models: .array([Fact.metatype("Trip"), Fact.metatype("Gone")]), [trip()]),
            unnumbered)
        #expect(result.versions.count == 1)
        #expect(result.questions.map(\.code) == [.version, .version])
        #expect(result.questions.map(\.place) == ["Models.swift:2", "Models.swift:20"])
        // Declarations that were left out are in the newest version's file, because no version has them.
        let newest = try text(result, "Toy+SchemaV1.swift")
        #expect(newest.contains("Undecided(\n                \"the number of ‘SchemaV2’ is no plain"))
    }

    @Test func sourcesWithoutModelsAreAFailureThatSaysSo() throws {
        let failure = #expect(throws: ImportFailure.self) { try Imports.new(Fact.structure("Address")) }
        #expect(failure?.description.contains("none of them has a @Model class") == true)
    }

    // MARK: Stages

    private func stages(
        _ properties: [PropertyFact], _ later: [PropertyFact], custom: String? = nil, renamings: [String] = []
    ) throws -> ImportResult {
        var types = [
            Fact.version("SchemaV1", [1, 0, 0], [Fact.model("Trip", [Fact.id] + properties)]),
            Fact.version("SchemaV2", [2, 0, 0], [Fact.model("Trip", [Fact.id] + later)]),
        ]
        if let custom {
            let stage = ExpressionFact.call(
                function: "MigrationStage.custom",
                arguments: [
                    ArgumentFact(label: "fromVersion", value: Fact.metatype("SchemaV1")),
                    ArgumentFact(label: "toVersion", value: Fact.metatype("SchemaV2")),
                    ArgumentFact(label: "willMigrate", value: .null),
                    ArgumentFact(label: "didMigrate", value: .closure(custom)),
                ])
            types.append(
                TypeFact(
                    kind: .enum, name: "Migrations", location: Fact.at(99),
                    inherited: [Fact.named("SchemaMigrationPlan")],
                    properties: [Fact.property("toV2", nil, stage, line: 100, modifiers: ["static"])]))
        }
        var importer = SchemaImporter(app: "toy", renamings: renamings.compactMap { Renaming($0) })
        return try importer.run([.init(facts: Fact.sources(types))], namespace: "Toy")
    }

    @Test func aLaterVersionSaysOnlyWhatChanged() throws {
        let result = try stages(
            [Fact.property("name", "String"), Fact.property("old", "Int")],
            [Fact.property("title", "String", Fact.attribute(originalName: "name")), Fact.property("note", "String?")])
        #expect(
            try text(result, "Toy+SchemaV2.swift").hasSuffix(
                """
                            Inherits(SchemaV1.self)
                            Model("Trip") {
                                Removed("old")
                                Attribute("title", .string, originalName: "name")
                                Attribute("note", .string.optional)
                            }
                        }
                    }
                }

                """))
        #expect(try text(result, "ToyPlan.swift").contains(".lightweight(fromVersion: Toy.SchemaV1.self"))
    }

    @Test func aChangeOfTypeIsAskedForInACustomStage() throws {
        let result = try stages(
            [Fact.property("length", "Int", line: 4)], [Fact.property("length", "String", .string(""), line: 14)])
        #expect(result.questions.map(\.code) == [.stage])
        #expect(result.questions[0].place == "Models.swift:14")
        let plan = try text(result, "ToyPlan.swift")
        #expect(plan.contains(".custom(fromVersion: Toy.SchemaV1.self, toVersion: Toy.SchemaV2.self) {"))
        #expect(plan.contains("choices: \"Convert(\\\"Trip.length\\\", using: TripLengthAsString())\")"))
        #expect(plan.contains("//     struct TripLengthAsString: Conversion {"))
    }

    @Test func aChangeThatTypesDoNotTellIsLeftToTheAuthor() throws {
        let result = try stages(
            [Fact.property("day", "Date", line: 4)], [Fact.property("day", "String", .string(""), line: 14)])
        #expect(try text(result, "ToyPlan.swift").contains("choices: \"Convert(\\\"Trip.day\\\", using: …)\")"))
    }

    @Test func aRenamingThatNobodyStatedIsAskedForAndCanBeStated() throws {
        let before = [Fact.property("note", "String")]
        let after = [Fact.property("notes", "String", .string(""))]
        #expect(try stages(before, after).questions.map(\.choices.count) == [2])
        let result = try stages(before, after, renamings: ["Trip.note=notes"])
        #expect(result.questions.isEmpty)
        #expect(result.versions[1].schema.entity("Trip")?.attribute("notes")?.originalName == "note")
    }

    @Test func anOldNameThatTheVersionBeforeDoesNotHaveIsAskedFor() throws {
        let result = try stages(
            [Fact.property("name", "String")],
            [
                Fact.property("name", "String", Fact.attribute(originalName: "ancient")),
                Fact.property("mark", "Int", .integer("0"), line: 8, Fact.attribute(originalName: "flag")),
            ])
        #expect(result.questions.map(\.code) == [.originalName])
        #expect(result.questions.map(\.place) == ["Models.swift:8"])
    }

    @Test func whatTheAppsOwnStageRunsIsKeptAndAskedFor() throws {
        let result = try stages([], [], custom: "{ context in\n        fill(context)\n    }")
        #expect(result.questions.map(\.code) == [.stage])
        #expect(result.questions.map(\.place) == ["Models.swift:100"])
        #expect(
            try text(result, "ToyPlan.swift").contains(
                "        // didMigrate: { context in\n        //     fill(context)\n        // }\n"))
    }

    @Test(arguments: [
        "{ _ in }", "{ context in\n  print(\"x\")\n  try context.save()\n}", "{ context in try? context.save() }",
    ])
    func aStageThatOnlySavesIsLightweight(_ closure: String) throws {
        let result = try stages([], [], custom: closure)
        #expect(result.questions.isEmpty)
        #expect(try text(result, "ToyPlan.swift").contains(".lightweight("))
        #expect(try text(result, "ToyPlan.swift").contains("// didMigrate: "))
    }

    @Test func aQuestionIsAskedOnceThoughVersionsRepeatIt() throws {
        let result = try stages([Fact.property("price", "Money")], [Fact.property("price", "Money")])
        #expect(result.questions.map(\.code) == [.type])
        #expect(result.questions[0].version == Schema.Version(1, 0, 0))
    }
}
