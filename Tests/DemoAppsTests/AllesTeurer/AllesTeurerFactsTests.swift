import DemoApps
import Testing

@testable import WireFormats

@Suite struct AllesTeurerFactsTests {
    private static let renamed =
        "The app declares no original names; here an identity lives on under a new name."
    private static let given =
        "The app leaves the default open. A record's id is always there: the client gives it."

    /// All deliberate differences from the real app.
    private static let deliberate: [Difference] =
        [
            Difference(in: "2.0.0", declared: "Product was ProductV1", because: renamed),
            Difference(in: "2.0.0", declared: "Purchase was PurchaseV1", because: renamed),
            Difference(
                in: "2.0.0", fact: "the stage to it is lightweight", declared: "the stage to it is custom",
                because: "Decimal from Double is a choice, and the wrong one makes 0.07000000000000001024 of 0.07."),
            Difference(
                in: "3.0.0", fact: "the stage to it is none", declared: "the stage to it is lightweight",
                because: "The app has only planned it."),
        ]
        + ["Product", "Purchase"].flatMap { entity in
            [
                Difference(
                    in: "3.0.0", fact: "\(entity).id is a synced UUID, nothing by default",
                    declared: "\(entity).id is a synced UUID, newID by default", because: given),
                Difference(
                    in: "3.0.0", fact: "\(entity).lastSynced is a synced Date?, nothing by default",
                    declared: "\(entity).lastSynced is a local Date?, nothing by default",
                    because: "When one device last spoke with a server is no fact about the product."),
            ]
        }

    @Test func everyVersionIsTheRealAppsButForWhatIsListed() throws {
        let facts = try Fixture.read("allesteurer", as: Facts.self)
        let comparison = try Comparison(AllesTeurerPlan.self, with: facts, except: AllesTeurerFactsTests.deliberate)
        #expect(comparison.surprises == [])
    }

    @Test func factsCoverThreeVersionsAndTheirRealCounts() throws {
        let facts = try Fixture.read("allesteurer", as: Facts.self)
        #expect(facts.versions.map { $0.entities.reduce(0) { $0 + $1.fields.count } } == [13, 13, 17])
    }
}
