import DemoApps
import Testing

@testable import WireFormats

@Suite struct KeepTrackTests {
    private let client: PlanClient

    init() throws {
        client = PlanClient(plan: try Plan(KeepTrackPlan.self))
    }

    /// Laws 1 to 7 for every version and entity, on generated records.
    @Test(arguments: [1, 2026, UInt64.random(in: 0...UInt64(Int64.max))])
    func theLensLawsHold(seed: UInt64) async throws {
        let report = await Laws.check(client.plan, cases: 200, seed: seed)
        #expect(report.isLawful, "\(report)")
    }

    @Test("S3_03: an entity is the same under its three names")
    func anEntityIsTheSameUnderItsThreeNames() {
        let names = client.plan.hub.entities.indices.map { entity in
            client.plan.projections.prefix(3).map { $0[entity]?.name }
        }
        #expect(
            names == [
                ["SDEntryV0", "SDEntryV1", "SDEntry"], ["SDIntakeTypeV0", "SDIntakeTypeV1", "SDIntakeType"],
                ["SDGoalV0", "SDGoalV1", "SDGoal"], ["SDAppSettingsV0", "SDAppSettingsV1", "SDAppSettings"],
            ])
        #expect(
            client.plan.hub.entities.map(\.table) == [
                "sd_entry_v0", "sd_intake_type_v0", "sd_goal_v0", "sd_app_settings_v0",
            ])
    }

    @Test("S3_02: a request without a version comes from the unversioned store")
    func theBaselineIsTheUnversionedStore() {
        #expect(client.plan.baseline == 0)
        #expect(client.plan.schemas[0].version == Schema.Version(0, 0, 0))
    }

    @Test("S3_09: permissions of one device never cross the wire")
    func factsOfOneDeviceNeverCrossTheWire() throws {
        let facts = ["iCloudAvailable", "cloudKitAvailable", "documentsAccessible", "lastPermissionCheck"]
        let settings = try client.projection("SDAppSettings", 2)
        #expect(settings.localNames == Set(facts))
        #expect(settings.fields.map(\.name) == (try client.projection("SDAppSettingsV0", 0)).fields.map(\.name))
    }

    /// Devices have this id, so it never changes.
    @Test("S3_13: settings are one record, and its id never changes")
    func settingsAreOneRecordWhoseIDNeverChanges() {
        #expect(
            client.plan.hub.entities.map { $0.singleton?.description } == [
                nil, nil, nil, "87a88ef2-8444-80f1-b88c-d7b5789a9df9",
            ])
    }

    @Test func aKindsDeletionLeavesItsEntries() throws {
        let reference = try #require(client.plan.hub.entities[0].references.first)
        #expect(reference.target == 1)
        #expect(!reference.diesWithTarget && !reference.takesTargetAlong)
    }

    @Test func whatAnOlderVersionMustSayANewerOneMayLeaveOut() throws {
        let row = try client.create("SDGoal", in: 2, ["name": .string("Water")])
        #expect(
            try client.read("SDGoalV0", in: 0, row, "name", "dates", "isActive", "frequency") == [
                .string("Water"), .json("[]"), .bool(true), .string(""),
            ])
        #expect(try client.projection("SDGoalV0", 0).fields.allSatisfy { !$0.isOmissible })
        #expect(try client.projection("SDGoal", 2).fields.allSatisfy { $0.isOmissible })
    }
}
