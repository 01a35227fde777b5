import Testing

@testable import WireFormats

/// The merge policies that a plan may declare, and their effect on the hub.
@Suite struct MergePolicyTests {
    @Test func aPolicyIsInTheFingerprintAndInTheJSONFormOnlyWhereItIsNotTheDefault() throws {
        func schema(_ merge: MergePolicy) -> Schema {
            let attribute = Schema.Attribute(
                name: "a", originalName: nil, type: .int, default: nil, scope: .synced, merge: merge)
            return Schema(
                version: Schema.Version(1, 0, 0),
                entities: [
                    Schema.Entity(
                        name: "A", originalName: nil, scope: .synced, multiplicity: .many, identity: "id",
                        attributes: [attribute], relationships: [])
                ])
        }
        #expect(Set(MergePolicy.allCases.map { schema($0).fingerprint }).count == MergePolicy.allCases.count)
        for policy in MergePolicy.allCases {
            #expect(try Schema(json: schema(policy).json) == schema(policy))
            #expect(schema(policy).json.contains("merge") == (policy != .latest))
            #expect(schema(policy).canonicalLines.joined().contains("merge") == (policy != .latest))
        }
        #expect(throws: SchemaReadingError.self) {
            try Schema(json: schema(.max).json.replacing(#""max""#, with: #""most""#))
        }
    }

    @Test(arguments: [
        Attribute("a", .string, merge: .max), Attribute("a", .bool, merge: .min),
        Attribute("a", .array(of: .int), merge: .max), Attribute("a", .string, merge: .union),
        Attribute("a", .array(of: .codable("X")), merge: .union),
        Attribute("a", .array(of: .array(of: .int)), merge: .union), Attribute("a", .double, merge: .counter),
        Attribute("a", .decimal, merge: .counter), Attribute("a", .int.optional, merge: .counter),
        Attribute("a", .int, default: 1, merge: .counter), Attribute("a", .int, scope: .local, merge: .max),
        Attribute("a", .int, .unique, merge: .max),
        Attribute("a", .array(of: .string), default: .json(#"["b","a"]"#), merge: .union),
        Attribute("a", .array(of: .string), default: .json(#"["a","a"]"#), merge: .union),
    ])
    func aPolicyThatMeansNothingIsRefused(attribute: Attribute) {
        let problems = Toy.problems({ Models { Model("A") { attribute } } })
        expectOnly(.badMerge, problems, saying: "A.a, 0.0.1")
    }

    @Test(arguments: [
        Attribute("a", .int, merge: .max), Attribute("a", .double.optional, merge: .min),
        Attribute("a", .decimal, default: "1.5", merge: .max), Attribute("a", .date.optional, merge: .min),
        Attribute("a", .array(of: .uuid), default: [], merge: .union),
        Attribute("a", .array(of: .string).optional, default: .json(#"["a","b"]"#), merge: .union),
        Attribute("a", .int, merge: .counter), Attribute("a", .int, default: 0, merge: .counter),
    ])
    func aPolicyThatMeansSomethingIsNot(attribute: Attribute) {
        #expect(Toy.problems({ Models { Model("A") { attribute } } }) == [])
    }

    @Test func thePolicyOfAnAttributeThatAStageLinksWithOthersIsRefused() {
        let split = Toy.custom { Convert("A.a", to: "b", "c", using: QuantityText()) }
        let problems = Toy.problems(
            { Models { Model("A") { Attribute("a", .string) } } },
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("A") {
                        Removed("a")
                        Attribute("b", .double, merge: .max)
                        Attribute("c", .string)
                    }
                }
            }, stages: [split])
        expectOnly(.badMerge, problems, saying: "A.b, 0.0.2", "links")
    }

    @Test func aConversionMayLeadToAGreatestButNotToACounter() {
        func problems(_ merge: MergePolicy) -> [PlanProblem] {
            Toy.problems(
                { Models { Model("A") { Attribute("a", .string) } } },
                {
                    Models {
                        Inherits(Toy.V1.self)
                        Model("A") { Attribute("a", .int, merge: merge) }
                    }
                }, stages: [Toy.custom { Convert("A.a", using: WrittenNumber()) }])
        }
        #expect(problems(.max) == [])
        expectOnly(.badMerge, problems(.counter), saying: "A.a", "merge: .counter")
    }

    @Test func aCounterStaysOneAndBeginsWithZeroInEveryVersion() {
        func problems(_ older: Attribute, _ newer: Attribute) -> [PlanProblem] {
            Toy.problems(
                { Models { Model("A") { older } } },
                {
                    Models {
                        Inherits(Toy.V1.self)
                        Model("A") { newer }
                    }
                })
        }
        let counter = Attribute("a", .int, default: 0, merge: .counter)
        let plain = Attribute("a", .int, default: 0)
        #expect(problems(plain, counter) == [])
        #expect(problems(plain, Attribute("a", .int, default: 5, merge: .max)) == [])
        expectOnly(.badMerge, problems(counter, plain), saying: "A.a, 0.0.1", "name")
        expectOnly(.badMerge, problems(Attribute("a", .int, default: 5), counter), saying: "A.a", "default: 0")
        expectOnly(.badMerge, problems(Attribute("a", .int.optional), counter), saying: "A.a", "default: 0")
    }

    @Test func theNewestVersionThatHasTheAttributeDecides() throws {
        let plan = try Toy.plan(
            {
                Models {
                    Model("A") {
                        Attribute("a", .int, merge: .max); Attribute("b", .int, merge: .max); Attribute("c", .int)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("A") {
                        Attribute("a", .int, merge: .min); Removed("b"); Attribute("c", .int)
                    }
                }
            })
        #expect(plan.hub.entities[0].units.map(\.rule) == [.least(column: 0), .greatest(column: 1), .latest])
        let difference = SchemaDifference(plan, from: 0, to: 1)
        #expect(
            difference.entities[0].members.contains {
                $0.before.map(\.description) == ["a: Int, merge max"]
                    && $0.after.map(\.description) == ["a: Int, merge min"]
            })
        let operations = StageExplanation(plan, stage: 0).entities[0].operations
        #expect(operations.contains { $0.summary == "a: Int, merge max → min" && $0.consequence != nil })
    }

    @Test func decimalsAreOrderedByNumber() throws {
        let ascending = [
            "-10", "-9.5", "-1.05", "-1", "-0.5", "0", "0.05", "0.5", "1", "1.05", "1.5", "9", "10", "100.1",
        ]
        for (index, text) in ascending.enumerated() {
            for (other, otherText) in ascending.enumerated() {
                let (a, b) = (try #require(DecimalText(text)), try #require(DecimalText(otherText)))
                #expect((a < b) == (index < other), "\(text), \(otherText)")
            }
        }
    }

    @Test func aUnionHasEachElementOnceInTheOrderOfTheirValues() throws {
        func joined(_ kind: AttributeType.Kind, _ a: String, _ b: String) throws -> Value {
            try #require(UnionOfElements(of: kind)).joined(.json(a), .json(b))
        }
        #expect(try joined(.int, "[10,9,9]", "[-1,10]") == .json("[-1,9,10]"))
        #expect(try joined(.string, #"["b","é"]"#, #"["a\"","b"]"#) == .json(#"["a\"","b","é"]"#))
        #expect(try joined(.decimal, #"["1.50","10"]"#, #"["1.5","9"]"#) == .json(#"["1.5","9","10"]"#))
        #expect(
            try joined(.date, #"["2026-01-31T08:00:00+01:00"]"#, #"["2026-01-31T07:00:00Z","2026-01-30T00:00:00Z"]"#)
                == .json(#"["2026-01-30T00:00:00Z","2026-01-31T07:00:00Z"]"#))
        // If nothing is added, the first array keeps its spelling.
        #expect(try joined(.int, "[10,9,9]", "[9]") == .json("[10,9,9]"))
        let union = try #require(UnionOfElements(of: .int))
        #expect(union.joined(.null, .null) == .null)
        #expect(union.joined(.null, .json("[]")) == .json("[]"))
        #expect(union.joined(.null, .json("[10,9,9]")) == .json("[9,10]"))
    }
}

/// A conversion between a text and the number at its beginning.
private struct WrittenNumber: Conversion {
    let fidelity = Fidelity.lossy
    let examples = ["1", "x"]

    func up(_ older: String) -> Int { Int(older) ?? 0 }
    func down(_ newer: Int) -> String { "\(newer)" }
}
