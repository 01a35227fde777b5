import DemoApps
import SourceFacts
import Testing
import WireFormats

@testable import SchemaImport

/// The demo apps as SwiftData sources, generated from the recorded facts, beside their hand-written plans.
@Suite(.enabled(if: Corpus.isReadable, "SourceReader is not built: swift build --package-path SourceReader"))
struct DemoHistoryTests {
    struct App: Sendable {
        let plan: any SchemaMigrationPlan.Type
        let folder: String
        var renamings: [String] = []
        /// Properties that the plan keeps on the device, or has once for all devices: the sources do not show this,
        /// only the plan's author knows it.
        var known: Set<String> = []
    }

    private static let apps: [App] = [
        App(
            plan: AllesTeurerPlan.self, folder: "AllesTeurer", renamings: ["ProductV1=Product", "PurchaseV1=Purchase"],
            // State of one device's own exchange with the server.
            known: ["Product.lastSynced", "Purchase.lastSynced"]),
        App(
            plan: KeepTrackPlan.self, folder: "KeepTrack", renamings: keepTrackRenamings,
            // Settings are shared by all devices, except permissions of a single device.
            known: [
                "SDAppSettingsV0", "SDAppSettingsV1", "SDAppSettings", "SDAppSettings.iCloudAvailable",
                "SDAppSettings.cloudKitAvailable", "SDAppSettings.documentsAccessible",
                "SDAppSettings.lastPermissionCheck",
            ]),
        App(
            plan: FitIQPlan.self, folder: "FitIQ", renamings: fitIQRenamings,
            // The outbox, and secrets of a device's session.
            known: [
                "SDOutboxEvent", "SDUserProfileV10.authToken", "SDUserProfileV10.refreshToken",
                "SDUserProfileV10.tokenExpiresAt", "SDUserProfileV10.refreshTokenExpiresAt",
                "SDUserProfileV11.authToken", "SDUserProfileV11.refreshToken", "SDUserProfileV11.tokenExpiresAt",
                "SDUserProfileV11.refreshTokenExpiresAt",
            ]),
    ]

    private static let keepTrackRenamings = ["Entry", "IntakeType", "Goal", "AppSettings"].flatMap { name in
        ["SD\(name)V0=SD\(name)V1", "SD\(name)V1=SD\(name)"]
    }

    private static let fitIQRenamings = [
        "SDUserProfile=SDUserProfileV9", "SDUserProfileV9=SDUserProfileV10", "SDUserProfileV10=SDUserProfileV11",
        "SDUserProfileV10.preferredUnitSystem=unitSystem", "SDPhotoRecognition.imageURL=photoFileName",
        "SDPhotoRecognition.processingCompletedAt=processedAt", "SDPhotoRecognition.recognizedItems=recognizedFoods",
        "SDRecognizedFoodItem.name=foodName", "SDRecognizedFoodItem.confidenceScore=confidence",
    ]

    /// Returns the subject of a line of a difference: `Product.lastSynced`, `SDAppSettings`.
    private static func subject(_ line: String) -> String {
        let words = line.dropFirst(2).split(separator: " ").map(String.init)
        return words[0].hasSuffix(":") ? "\(words[0].dropLast()).\(words[2])" : words[1]
    }

    @Test(arguments: apps.indices)
    func anImportIsThePlanButForWhatOnlyItsAuthorKnew(_ index: Int) throws {
        let app = DemoHistoryTests.apps[index]
        let plan = try Plan(app.plan)
        let result = try Corpus.imported([app.folder], namespace: "Again", renamings: app.renamings)
        #expect(result.versions.map(\.schema.version) == plan.schemas.map(\.version))
        var met: Set<String> = []
        for (imported, written) in zip(result.versions, plan.schemas) {
            let changes = imported.schema.changes(in: written)
            #expect(changes.isEmpty == (imported.schema.fingerprint == written.fingerprint))
            met.formUnion(changes.map(DemoHistoryTests.subject))
            func sides(_ mark: String) -> [String] {
                changes.filter { $0.hasPrefix(mark) }.map { line in
                    String(line.dropFirst(2)).replacing(" local", with: " synced").replacing(" singleton", with: "")
                }
            }
            #expect(sides("- ") == sides("+ "), "\(written.version)")
        }
        #expect(met == app.known)
    }

    @Test func modelsWithoutVersionsAreEachTagsShape() throws {
        let plan = try Plan(EasitOpenPlan.self)
        let folders = plan.schemas.map { "EasitOpen/\($0.version)" }
        let result = try Corpus.imported(folders, namespace: "Again")
        // 1.1.0 stored nothing new, and is no version of its own.
        #expect(result.versions.map { "\($0.schema.version)" } == ["0.0.1", "0.0.2", "1.0.0", "2.0.0"])
        // Opening hours without an inverse.
        #expect(Set(result.questions.map(\.code)) == [.inverse, .plan])
        let missing = result.questions.filter { $0.code == .plan }.map(\.subject)
        // The release that lost all users' businesses, and a renaming that the app's guides plan without declaring it.
        #expect(missing.contains("Business.lastUpdated"))
    }

    @Test(
        arguments: [
            ("FitIQ", FitIQPlan.self), ("KeepTrack", KeepTrackPlan.self), ("AllesTeurer", AllesTeurerPlan.self),
            ("EasitOpen/2.0.0", EasitOpenPlan.self),
        ] as [(String, any SchemaMigrationPlan.Type)])
    func theAppsModelsAreWhatTheirPlansSay(_ folder: String, _ plan: any SchemaMigrationPlan.Type) throws {
        let (_, drifts, _) = try SchemaImporter.compare(Corpus.facts(folder), with: plan)
        #expect(drifts.isEmpty)
    }

    /// Removes each property in turn: a comparison that misses properties would hide faults of the importer.
    @Test func eachPropertyIsMissedWhereItIsTakenAway() throws {
        let facts = try Corpus.facts("FitIQ")
        let index = try #require(facts.types.firstIndex { $0.name == "SchemaV11" })
        let newest = facts.types[index]
        let written = try Plan(FitIQPlan.self).schemas[10]
        var tried = 0
        for model in newest.types.indices where newest.types[model].kind == .class {
            for property in newest.types[model].properties.indices {
                var changed = facts
                let (name, member) = (newest.types[model].name, newest.types[model].properties[property].name)
                changed.types[index].types[model].properties.remove(at: property)
                let drifts = try SchemaImporter.compare(changed, with: FitIQPlan.self).drifts
                let isLocal = written.entity(name).map { entity in
                    entity.scope == .local || entity.attribute(member)?.scope == .local
                }
                #expect(drifts.isEmpty == (isLocal == true), "\(name).\(member)")
                tried += 1
            }
        }
        #expect(tried > 150)
    }
}
