import Testing

@testable import WireFormats

/// Several shapes with one version number: their hub, and the shapes that the check rejects.
@Suite struct HistoricalVariantTests {
    private static let first: @Sendable () -> Models = {
        Models {
            Model("Meal") {
                Attribute("title", .string, default: "")
                Attribute("kcal", .int, default: 0)
                Relationship("plate", toOne: "Plate")
            }
            Model("Plate") { Attribute("size", .int, default: 1) }
        }
    }
    private static let second: @Sendable () -> Models = {
        Models {
            Inherits(Toy.V1.self)
            Model("Meal") { Attribute("photo", .data.optional) }
        }
    }
    private static let third: @Sendable () -> Models = {
        Models {
            Inherits(Toy.V2.self)
            Model("Meal") {
                Attribute("note", .string, default: "new")
                Relationship("table", toOne: "Plate")
            }
            Model("Shelf") { Attribute("size", .int, default: 1) }
        }
    }
    /// The second version with other names, and with an attribute that has another meaning in the third version.
    private static let cut: @Sendable () -> Models = {
        Models {
            Inherits(Toy.V2.self)
            Model("Meal") {
                Attribute("name", .string, default: "", originalName: "title")
                Attribute("note", .int.optional)
                Relationship("tray", toOne: "Plate")
            }
            Model("Cup") { Relationship("meal", toOne: "Meal") }
        }
    }
    private static let number = Schema.Version(0, 0, 2)

    private static func with(
        _ variants: HistoricalVariant..., cuts: (Schema.Version, @Sendable () -> Models)...
    ) -> (inout Toy.Declaration) -> Void {
        { declaration in
            declaration.variants = variants
            declaration.cuts = cuts.map { (version: $0, models: $1) }
        }
    }

    private static let ofSecond = HistoricalVariant(Toy.CutA.self, of: Toy.V2.self, addedWith: Toy.V2.self)

    @Test func aNumberMeansTheVersionAndItsFingerprintAnyShape() throws {
        let plan = try Toy.plan(
            Self.first, Self.second, change: Self.with(Self.ofSecond, cuts: (Self.number, Self.cut)))
        let fingerprints = plan.shapes.map(\.fingerprint)
        #expect(plan.schemas.count == 2 && plan.shapes.count == 3 && plan.newest == 1)
        #expect(plan.index(of: Self.number) == 1)
        for (text, expected) in [
            ("0.0.2", 1), ("0.0.2;fp=\(fingerprints[1])", 1), ("0.0.2;fp=\(fingerprints[2])", 2),
            (" 0.0.2 ; fp=\(fingerprints[2]) ", 2), (";fp=\(fingerprints[2])", 2), (";fp=\(fingerprints[0])", 0),
        ] {
            #expect(ShapeName(text).flatMap { plan.index(of: $0) } == expected, "\(text)")
        }
        for text in ["0.0.1;fp=\(fingerprints[2])", "0.0.2;fp=", ";fp=", "0.0.3", "0.0.2;fp=0123456789abcdef"] {
            #expect(plan.index(of: try #require(ShapeName(text))) == nil, "\(text)")
        }
        // Each version has only one spelling of its name.
        for text in ["0.00.2", "00.0.2", "0.0.02", "0.0.02;fp=\(fingerprints[1])", "0.0.+2", "0.0.-0", "0.0.２"] {
            #expect(ShapeName(text) == nil && Schema.Version(text) == nil, "\(text)")
        }
        for text in ["", ";", "0.0", "0.0.2;", "0.0.2;f=1", "x;fp=\(fingerprints[2])", "0.0.2;fp=1;fp=2"] {
            #expect(ShapeName(text) == nil, "\(text)")
        }
        #expect("\(plan.name(of: 1))" == "0.0.2" && "\(plan.name(of: 2))" == "0.0.2;fp=\(fingerprints[2])")
    }

    @Test func aVariantThatAddsNothingLeavesTheTablesAsTheyWere() throws {
        let plan = try Toy.plan(Self.first, Self.second)
        let varied = try Toy.plan(
            Self.first, Self.second,
            change: Self.with(
                Self.ofSecond,
                cuts: (
                    Self.number,
                    {
                        Models {
                            Inherits(Toy.V2.self)
                            Model("Dish", originalName: "Meal") {
                                Attribute("name", .string, default: "-", originalName: "title"); Removed("kcal")
                            }
                        }
                    }
                )))
        #expect(varied.hub.lines == plan.hub.lines)
    }

    @Test func aVariantSharesTheColumnsOfWhatItRenamesAndKeepsItsOwn() throws {
        let plan = try Toy.plan(
            Self.first, Self.second, change: Self.with(Self.ofSecond, cuts: (Self.number, Self.cut)))
        #expect(
            plan.hub.lines == [
                "meal: title text, kcal bigint, plate uuid, photo bytea, note bigint, tray uuid",
                "plate: size bigint", "cup: meal uuid",
            ])
        let (version, variant) = (plan.projections[1][0]!, plan.projections[2][0]!)
        var row = try variant.create(
            [FieldEdit(field: variant.field(named: "note")!, value: .int(7))], id: .random(),
            createdAt: Timestamp(microseconds: 0))
        #expect(version.view(of: row) == [.string(""), .int(0), .null, .null])
        try version.put([FieldEdit(field: version.field(named: "title")!, value: .string("Soup"))], into: &row)
        #expect(variant.view(of: row)[variant.field(named: "name")!] == .string("Soup"))
        #expect(variant.view(of: row)[variant.field(named: "note")!] == .int(7))
    }

    /// Stored rows refer to stamps and dangling references by index, so these indices must never change.
    @Test func aLaterVersionMovesNothingOfAnEarlierVariant() throws {
        let variant = Self.with(Self.ofSecond, cuts: (Self.number, Self.cut))
        let before = try Toy.plan(Self.first, Self.second, change: variant).hub
        let after = try Toy.plan(Self.first, Self.second, Self.third, change: variant).hub
        #expect(
            after.lines == [
                "meal: title text, kcal bigint, plate uuid, photo bytea, note bigint, tray uuid, note_v3 text, "
                    + "table uuid",
                "plate: size bigint", "cup: meal uuid", "shelf: size bigint",
            ])
        for (older, newer) in zip(before.entities, after.entities) {
            #expect(newer.table == older.table && newer.index == older.index)
            #expect(Array(newer.columns.prefix(older.columns.count)).map(\.name) == older.columns.map(\.name))
            #expect(Array(newer.references.prefix(older.references.count)) == older.references)
            #expect(Array(newer.units.prefix(older.units.count)) == older.units)
        }
    }

    @Test func aVariantOfAnOldVersionThatIsFoundLateMovesNothingEither() throws {
        let before = try Toy.plan(Self.first, Self.second, Self.third).hub
        let late = HistoricalVariant(Toy.CutA.self, of: Toy.V2.self, addedWith: Toy.V3.self)
        let after = try Toy.plan(
            Self.first, Self.second, Self.third, change: Self.with(late, cuts: (Self.number, Self.cut))
        ).hub
        #expect(
            after.lines == [
                before.lines[0] + ", note_v2 bigint, tray uuid", before.lines[1], before.lines[2],
                "cup: meal uuid",
            ])
    }

    @Test func theStagesOfAPlanWithVariantsMakeTheHubToo() throws {
        let plan = try Plan(VariantsPlan.self)
        let first = HubCompiler(app: plan.app, tree: plan.tree.grown(1)).compile().0
        let added = plan.stages.indices.flatMap { StageExplanation(plan, stage: $0).hub }.count {
            if case .newColumn = $0 { true } else { false }
        }
        let columns = plan.hub.entities.reduce(0) { $0 + $1.columns.count }
        #expect(first.entities[0].columns.count + added == columns)
    }

    @Test func fromAndToAVariantAWideningTellsEverything() throws {
        let plan = try Plan(VariantsPlan.self)
        for (older, newer) in [(3, 2), (3, 1), (1, 3), (0, 3), (3, 4)] {
            #expect(plan.isUpdate(from: older, to: newer))
            let parts = plan.widening(from: older, to: newer).parts
            #expect(parts.map(\.projection.name) == plan.projections[newer].compactMap { $0?.name })
            #expect(parts.allSatisfy { $0.records == .all })
        }
        for (older, newer) in [(3, 0), (2, 3), (3, 3), (6, 3)] { #expect(!plan.isUpdate(from: older, to: newer)) }
    }

    // MARK: What is refused

    @Test("S1_13: two versions with one number are variants only if declared")
    func twoVersionsWithOneNumberStayRefused() {
        let problems = Toy.problems(
            Self.first, Self.second, change: { $0.versions = [Schema.Version(1, 0, 0), Schema.Version(1, 0, 0)] })
        expectOnly(.versionOrder, problems, saying: "1.0.0, 1.0.0", "historicalVariants")
    }

    @Test(arguments: [(Schema.Version(0, 0, 7), "no version's"), (Schema.Version(0, 0, 1), "another version's")])
    func aVariantOfAnotherNumberIsRefused(number: Schema.Version, whose: String) {
        let problems = Toy.problems(Self.first, Self.second, change: Self.with(Self.ofSecond, cuts: (number, Self.cut)))
        expectOnly(.variantNumber, problems, saying: "CutA, \(number)", whose, "`versionIdentifier`")
    }

    @Test func aVariantOfWhatIsNoVersionIsRefused() {
        let variant = HistoricalVariant(Toy.CutA.self, of: Toy.V3.self, addedWith: Toy.V2.self)
        let problems = Toy.problems(Self.first, Self.second, change: Self.with(variant, cuts: (Self.number, Self.cut)))
        expectOnly(.unknownCanonical, problems, saying: "CutA", "V3", "`schemas`")
    }

    @Test func aVariantAddedBeforeItsVersionIsRefused() {
        let variant = HistoricalVariant(Toy.CutA.self, of: Toy.V2.self, addedWith: Toy.V1.self)
        let problems = Toy.problems(Self.first, Self.second, change: Self.with(variant, cuts: (Self.number, Self.cut)))
        expectOnly(.variantAge, problems, saying: "CutA", "V1", "`addedWith:`")
    }

    @Test func aVariantThatIsItsVersionIsRefused() {
        let same: @Sendable () -> Models = { Models { Inherits(Toy.V2.self) } }
        let problems = Toy.problems(
            Self.first, Self.second, change: Self.with(Self.ofSecond, cuts: (Self.number, same)))
        expectOnly(.sameFingerprint, problems, saying: "CutA, 0.0.2", "V2")
    }

    @Test func twoVariantsOfOneShapeAreRefused() {
        let problems = Toy.problems(
            Self.first, Self.second,
            change: Self.with(
                Self.ofSecond, HistoricalVariant(Toy.CutB.self, of: Toy.V2.self, addedWith: Toy.V2.self),
                cuts: (Self.number, Self.cut), (Self.number, Self.cut)))
        expectOnly(.sameFingerprint, problems, saying: "CutB, 0.0.2", "CutA")
    }

    @Test func aVariantIsCheckedLikeAStage() {
        let changed: @Sendable () -> Models = {
            Models {
                Inherits(Toy.V2.self); Model("Meal") { Attribute("kcal", .string, default: "") }
            }
        }
        let problems = Toy.problems(
            Self.first, Self.second, change: Self.with(Self.ofSecond, cuts: (Self.number, changed)))
        expectOnly(.needsConversion, problems, saying: "Meal.kcal, 0.0.2 → CutA", "braces", "Convert(")
    }

    @Test func aVariantMayNotCallOneEntityAsAVersionCallsAnother() {
        let exchanged: @Sendable () -> Models = {
            Models {
                Inherits(Toy.V2.self); RemovedModel("Meal"); Model("Shelf") { Attribute("kcal", .bool, default: true) }
            }
        }
        let problems = Toy.problems(
            Self.first, Self.second, Self.third, change: Self.with(Self.ofSecond, cuts: (Self.number, exchanged)))
        expectOnly(.reusedName, problems, saying: "Shelf, 0.0.2")
    }
}

extension Hub {
    /// Returns one line for each table.
    fileprivate var lines: [String] {
        entities.map { entity in
            "\(entity.table): " + entity.columns.map { "\($0.name) \($0.type.rawValue)" }.joined(separator: ", ")
        }
    }
}
