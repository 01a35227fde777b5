import DemoApps
import Testing

@testable import WireFormats

@Suite struct KeepTrackFactsTests {
    private static let entities = ["SDEntry", "SDIntakeType", "SDGoal", "SDAppSettings"]

    private static let renamed =
        "The app declares no original names and ended with an empty store; here an identity lives on under a new name."
    private static let given =
        "The app leaves the default open. A record's id is always there: the client gives it."
    private static let noWork =
        "The app's stage imports old files or touches dates; neither belongs into what a version looks like."
    private static let ofADevice =
        "What one device may do, which is not so on another."
    private static let shared =
        "The app made a row on each device. A person has one set of settings."

    /// All deliberate differences from the real app.
    private static let deliberate: [Difference] =
        [("0.0.0", "V0", ""), ("1.0.0", "V1", "V0"), ("2.0.0", "", "V1")].flatMap { version, suffix, before in
            entities.flatMap { entity in
                let name = entity + suffix
                var differences: [Difference] = []
                if version != "2.0.0" {
                    differences.append(
                        Difference(
                            in: version, fact: "\(name).id is a synced UUID, nothing by default",
                            declared: "\(name).id is a synced UUID, newID by default", because: given))
                }
                if !before.isEmpty {
                    differences.append(
                        Difference(in: version, declared: "\(name) was \(entity)\(before)", because: renamed))
                }
                if entity == "SDAppSettings" {
                    differences.append(
                        Difference(in: version, declared: "\(name) is one for each space", because: shared))
                }
                return differences
            }
        }
        + ["1.0.0", "2.0.0"].map {
            Difference(
                in: $0, fact: "the stage to it is custom", declared: "the stage to it is lightweight", because: noWork)
        }
        + [
            ("iCloudAvailable", "Bool, false"), ("cloudKitAvailable", "Bool, false"),
            ("documentsAccessible", "Bool, false"), ("lastPermissionCheck", "Date?, nothing"),
        ].map { name, type in
            Difference(
                in: "2.0.0", fact: "SDAppSettings.\(name) is a synced \(type) by default",
                declared: "SDAppSettings.\(name) is a local \(type) by default", because: ofADevice)
        }

    @Test func everyVersionIsTheRealAppsButForWhatIsListed() throws {
        let facts = try Fixture.read("keeptrack", as: Facts.self)
        let comparison = try Comparison(KeepTrackPlan.self, with: facts, except: KeepTrackFactsTests.deliberate)
        #expect(comparison.surprises == [])
    }

    @Test func factsCoverThreeVersionsAndTheirRealCounts() throws {
        let facts = try Fixture.read("keeptrack", as: Facts.self)
        #expect(facts.versions.map { $0.entities.reduce(0) { $0 + $1.fields.count } } == [32, 32, 36])
    }

    @Test("S3_05, S3_06: what version 1.0.0 made unique is the identity, which is unique in every version")
    func whatVersion1MadeUniqueIsTheIdentity() throws {
        let plan = try Plan(KeepTrackPlan.self)
        let facts = try Fixture.read("keeptrack", as: Facts.self)
        for (schema, version) in zip(plan.schemas, facts.versions) {
            let unique = version.entities.flatMap { entity in
                entity.fields.filter { $0.unique == true }.map { "\(entity.name).\($0.name)" }
            }
            let identities = schema.entities.compactMap { entity in
                entity.identity.map { "\(entity.name).\($0)" }
            }
            #expect(identities.count == 4)
            #expect(unique == (version.identifier == "1.0.0" ? identities : []))
        }
    }
}
