import DemoApps
import Testing

@testable import WireFormats

@Suite struct FitIQFactsTests {
    /// Every version since the one that introduced the device's queue.
    private static let withOutbox = ["0.0.3", "0.0.4", "0.0.5", "0.0.6", "0.0.7", "0.0.8", "0.0.9", "0.1.0", "0.1.1"]

    private static let noWork =
        "The app's custom stage only logs and saves; everything in it follows from the two schemas."
    private static let noLoss =
        "A lightweight stage would give every row the default and lose what it says; a conversion keeps it."
    private static let renamed =
        "The app declares no original names, and its users had to reinstall; "
        + "here an identity lives on under a new name."
    private static let secret =
        "A secret of one device's session, which has no business on another device or on a server."

    /// All deliberate differences from the real app.
    private static let deliberate: [Difference] =
        withOutbox.map {
            Difference(
                in: $0, fact: "SDOutboxEvent is synced", declared: "SDOutboxEvent is local",
                because: "A queue of what one device has yet to send. Shared, every device would send it.")
        }
        + ["0.0.2", "0.0.6", "0.1.1"].map {
            Difference(
                in: $0, fact: "the stage to it is custom", declared: "the stage to it is lightweight", because: noWork)
        }
        + [
            Difference(
                in: "0.0.8", fact: "the stage to it is lightweight", declared: "the stage to it is custom",
                because: noLoss),
            Difference(in: "0.0.9", declared: "SDUserProfileV9 was SDUserProfile", because: renamed),
            Difference(in: "0.1.0", declared: "SDUserProfileV10 was SDUserProfileV9", because: renamed),
            Difference(in: "0.1.1", declared: "SDUserProfileV11 was SDUserProfileV10", because: renamed),
        ]
        + [
            "SDUserProfileV10.unitSystem was preferredUnitSystem", "SDPhotoRecognition.photoFileName was imageURL",
            "SDPhotoRecognition.processedAt was processingCompletedAt",
            "SDPhotoRecognition.recognizedFoods was recognizedItems", "SDRecognizedFoodItem.foodName was name",
            "SDRecognizedFoodItem.confidence was confidenceScore",
        ].map { Difference(in: "0.1.0", declared: $0, because: renamed) }
        + [("0.1.0", "SDUserProfileV10"), ("0.1.1", "SDUserProfileV11")].flatMap { version, profile in
            [
                ("authToken", "String?"), ("refreshToken", "String?"), ("tokenExpiresAt", "Date?"),
                ("refreshTokenExpiresAt", "Date?"),
            ].map { name, type in
                Difference(
                    in: version, fact: "\(profile).\(name) is a synced \(type), nothing by default",
                    declared: "\(profile).\(name) is a local \(type), nothing by default", because: secret)
            }
        }

    @Test func everyVersionIsTheRealAppsButForWhatIsListed() throws {
        let facts = try Fixture.read("fitiq", as: Facts.self)
        let comparison = try Comparison(FitIQPlan.self, with: facts, except: FitIQFactsTests.deliberate)
        #expect(comparison.surprises == [])
    }

    @Test func aListedDifferenceThatIsNoneIsReported() throws {
        let facts = try Fixture.read("fitiq", as: Facts.self)
        let stale = Difference(in: "0.0.1", declared: "SDUserProfile was SDPerson", because: "It never was.")
        let comparison = try Comparison(FitIQPlan.self, with: facts, except: FitIQFactsTests.deliberate + [stale])
        #expect(
            comparison.surprises == [
                "listed, but no difference: 0.0.1: the plan says “SDUserProfile was SDPerson”"
            ])
    }

    @Test func factsCoverElevenVersionsAndTheirRealCounts() throws {
        let facts = try Fixture.read("fitiq", as: Facts.self)
        #expect(facts.versions.map(\.entities.count) == [4, 5, 6, 8, 9, 11, 11, 11, 13, 14, 16])
        #expect(facts.versions.map { $0.entities.reduce(0) { $0 + $1.fields.count } }.last == 197)
    }
}
