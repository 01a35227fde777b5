import DemoApps
import Testing

@testable import WireFormats

@Suite struct EasitOpenFactsTests {
    private static let versions = ["0.0.1", "0.0.2", "1.0.0", "1.1.0", "2.0.0"]

    private static let given =
        "The app leaves the default open. A record's id is always there: the client gives it."
    private static let owned =
        "The app's list has no inverse and no delete rule, so each refresh left the old hours behind."
    private static let unplanned =
        "The app never had a plan, and lost its stores by it."

    /// All deliberate differences from the real app.
    private static let deliberate: [Difference] =
        versions.flatMap { version in
            [
                Difference(
                    in: version, fact: "Business.id is a synced UUID, nothing by default",
                    declared: "Business.id is a synced UUID, newID by default", because: given),
                Difference(
                    in: version, fact: "Business.openingHours is to many DaySchedule, inverse none, nullify",
                    declared: "Business.openingHours is to many? DaySchedule, inverse business, cascade",
                    because: owned),
                Difference(
                    in: version, declared: "DaySchedule.business is to one? Business, inverse openingHours, nullify",
                    because: owned),
            ]
        }
        + versions.dropFirst().map {
            Difference(
                in: $0, fact: "the stage to it is none", declared: "the stage to it is lightweight", because: unplanned)
        }
        + versions.dropFirst(2).map {
            Difference(
                in: $0, fact: "Business.lastUpdated is a synced Date, nothing by default",
                declared: "Business.lastUpdated is a synced Date, creation by default",
                because: "Required and without a default, it cost the app's users their data.")
        }

    @Test func everyVersionIsTheRealAppsButForWhatIsListed() throws {
        let facts = try Fixture.read("easitopen", as: Facts.self)
        let comparison = try Comparison(EasitOpenPlan.self, with: facts, except: EasitOpenFactsTests.deliberate)
        #expect(comparison.surprises == [])
    }

    @Test func factsCoverFiveVersionsAndTheirRealCounts() throws {
        let facts = try Fixture.read("easitopen", as: Facts.self)
        #expect(facts.versions.map { $0.entities.reduce(0) { $0 + $1.fields.count } } == [12, 13, 16, 16, 18])
    }
}
