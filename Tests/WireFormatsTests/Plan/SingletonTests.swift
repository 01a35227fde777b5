import Testing

@testable import WireFormats

/// Entities with exactly one record per space.
@Suite struct SingletonTests {
    private static let settings: @Sendable () -> Models = {
        Models { Model("SettingsV0", .singleton) { Attribute("theme", .string, default: "auto") } }
    }

    private static let renamed: @Sendable () -> Models = {
        Models {
            Inherits(Toy.V1.self)
            Model("Settings", originalName: "SettingsV0")
        }
    }

    @Test func theRecordHasOneIDUnderAllNames() throws {
        let id = try Toy.plan(SingletonTests.settings).hub.entities[0].singleton
        #expect(id != nil)
        #expect(try Toy.plan(SingletonTests.settings, SingletonTests.renamed).hub.entities[0].singleton == id)
    }

    @Test func anAppsSingletonIsNotAnothers() throws {
        let here = try Toy.plan(SingletonTests.settings).hub.entities[0].singleton
        let there = try Toy.plan(SingletonTests.settings, change: { $0.app = "other" }).hub.entities[0].singleton
        #expect(here != there)
    }

    /// Devices have this id: RFC 9562's version 8, the same for ever.
    @Test func theIDNeverChanges() throws {
        let id = try Toy.plan(SingletonTests.settings).hub.entities[0].singleton
        #expect(id?.description == "b94711c5-6da8-87e2-9043-fc58fdaea0a7")
    }

    @Test func anEntityOfManyHasNone() throws {
        let plan = try Toy.plan({ Models { Model("A") { Attribute("a", .int) } } })
        #expect(plan.hub.entities[0].singleton == nil)
    }

    @Test func whatAVersionInheritsItNeedNotSayAgain() throws {
        let plan = try Toy.plan(SingletonTests.settings, SingletonTests.renamed)
        #expect(plan.schemas[1].entity("Settings")?.multiplicity == .singleton)
    }

    @Test func oneOfManyDoesNotBecomeTheOnlyOne() {
        let problems = Toy.problems(
            { Models { Model("Settings") { Attribute("theme", .string, default: "auto") } } },
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("Settings", .singleton)
                }
            })
        expectOnly(.changedMultiplicity, problems, saying: "Settings, 0.0.1 → 0.0.2", "`.many`")
    }

    @Test func theOnlyOneDoesNotBecomeOneOfMany() {
        let problems = Toy.problems(
            SingletonTests.settings,
            {
                Models {
                    Inherits(Toy.V1.self)
                    Model("Settings", .many, originalName: "SettingsV0")
                }
            })
        expectOnly(.changedMultiplicity, problems, saying: "Settings, 0.0.1 → 0.0.2", "`.singleton`")
    }
}
