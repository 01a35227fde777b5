import Testing

@testable import WireFormats

/// The words that `Convert` has replaced. Only this file uses them, and says so.
@Suite struct DeprecatedConversionTests {
    @available(*, deprecated, message: "It uses Split and Merge.")
    @Test func splitAndMergeMeanWhatConvertMeans() throws {
        let old = try plan(
            Toy.custom {
                Split("A.whole", into: "first", "second", using: Words())
                Merge("A.left", "right", into: "joined", using: Words())
            })
        let new = try plan(
            Toy.custom {
                Convert("A.whole", to: "first", "second", using: FullName())
                Convert("A.left", "right", to: "joined", using: FullName().reversed)
            })
        #expect(old.schemas.map(\.fingerprint) == new.schemas.map(\.fingerprint))
        #expect(old.hub.entities.map(\.columns) == new.hub.entities.map(\.columns))
        #expect(old.hub.entities.map(\.units) == new.hub.entities.map(\.units))
        for version in 0...1 {
            let rows = try [old, new].map { plan in
                let projection = try #require(plan.projections[version][0])
                let edits = projection.fields.indices.map { FieldEdit(field: $0, value: .string("Ana Maria \($0)")) }
                return try projection.create(
                    edits, id: ID(high: 1, low: 2), createdAt: Timestamp(microseconds: 1_763_640_000_000_000))
            }
            #expect(rows[0] == rows[1])
            let views = try zip([old, new], rows).map { plan, row in
                try #require(plan.projections[1 - version][0]).view(of: row)
            }
            #expect(views[0] == views[1])
        }
    }

    private func plan(_ stage: MigrationStage) throws -> Plan {
        try Toy.plan(
            {
                Models {
                    Model("A") {
                        Attribute("whole", .string)
                        Attribute("left", .string)
                        Attribute("right", .string.optional)
                    }
                }
            },
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("A") {
                        Removed("whole", "left", "right")
                        Attribute("first", .string)
                        Attribute("second", .string.optional)
                        Attribute("joined", .string)
                    }
                }
            }, stages: [stage])
    }
}

/// `FullName`, as it was declared for `Split` and `Merge`.
@available(*, deprecated)
private struct Words: SplitConversion {
    func split(_ whole: String) -> (String, String?) { FullName().up(whole) }
    func merge(_ first: String, _ second: String?) -> String { FullName().down((first, second)) }
    var examples: [String] { FullName().examples }
}
