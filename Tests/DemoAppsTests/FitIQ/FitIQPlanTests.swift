import DemoApps
import Testing

@testable import WireFormats

@Suite struct FitIQPlanTests {
    let plan: Plan

    init() throws {
        plan = try Plan(FitIQPlan.self)
    }

    @Test func versionNumbersAreThePublishedOnes() {
        #expect(
            plan.schemas.map(\.version.description) == [
                "0.0.1", "0.0.2", "0.0.3", "0.0.4", "0.0.5", "0.0.6", "0.0.7", "0.0.8", "0.0.9", "0.1.0", "0.1.1",
            ])
    }

    /// Two entities, one relationship and its inverse, one renaming, one removed attribute and two defaults: nothing
    /// else.
    @Test("S1_01: 0.0.9 adds two entities, a relationship and a new name, and keeps all else")
    func version9ChangesWhatItIsDocumentedToChange() throws {
        let new = ["SDPhotoRecognition", "SDRecognizedFoodItem"]
        let (v8, v9) = (plan.schemas[7], plan.schemas[8])
        #expect(v9.entities.compactMap(\.originalName) == ["SDUserProfile"])
        #expect(v9.entities.count == v8.entities.count + 2)
        #expect(new.allSatisfy { v8.entity($0) == nil && v9.entity($0) != nil })
        #expect(
            v9.entity("SDPhotoRecognition")?.relationships.first { $0.name == "userProfile" }?.inverse
                == "photoRecognitions")

        // The renaming affects every relationship to the profile. It is ignored here, so that other changes are seen.
        let before = v8.sentences(stage: "")
        let after = Set(
            v9.sentences(stage: "").filter { sentence in
                !new.contains { sentence.hasPrefix("\($0).") || sentence.hasPrefix("\($0) ") }
            }
            .map { $0.replacing("SDUserProfileV9", with: "SDUserProfile") })
        #expect(
            before.subtracting(after) == [
                "SDUserProfile.updatedAt is a synced Date?, creation by default",
                "SDActivitySnapshot.updatedAt is a synced Date?, creation by default",
                "SDProgressEntry.userID is a synced String, ‘’ by default",
            ])
        #expect(
            after.subtracting(before) == [
                "SDUserProfile was SDUserProfile",
                "SDUserProfile.updatedAt is a synced Date?, nothing by default",
                "SDActivitySnapshot.updatedAt is a synced Date?, nothing by default",
                "SDUserProfile.photoRecognitions is to many? SDPhotoRecognition, inverse userProfile, cascade",
            ])
    }

    @Test("S1_05: every relationship's inverse is known on both sides")
    func everyToManyRelationshipIsTheInverseOfAToOne() {
        for schema in plan.schemas {
            for entity in schema.entities {
                for relationship in entity.relationships where relationship.cardinality == .toMany {
                    let inverse = schema.entity(relationship.target)?.relationships.first {
                        $0.name == relationship.inverse
                    }
                    #expect(inverse?.cardinality == .toOne, "\(schema.version) \(entity.name).\(relationship.name)")
                    #expect(inverse?.target == entity.name)
                }
            }
        }
    }

    @Test("S1_15: data that a device keeps to itself is in no version's view and no table")
    func whatIsLocalIsInNoProjection() throws {
        let secrets = ["authToken", "refreshToken", "tokenExpiresAt", "refreshTokenExpiresAt"]
        for version in plan.shapes.indices {
            #expect(plan.projection(version: version, named: "SDOutboxEvent") == nil)
            for projection in plan.projections[version].compactMap(\.self) {
                #expect(secrets.allSatisfy { projection.field(named: $0) == nil })
            }
        }
        #expect(!plan.hub.entities.contains { $0.table == "sd_outbox_event" })
        for entity in plan.hub.entities {
            #expect(!entity.columns.contains { $0.name.contains("token") })
        }
        let profile = try #require(plan.projection(version: 10, named: "SDUserProfileV11"))
        #expect(profile.localNames.isSuperset(of: secrets))
    }

    @Test("S1_03: a model is inherited or declared anew, and its history shows which: sleep stages did not change")
    func oneAnswerForAModelThatAGuideListsTwice() throws {
        let stage = try #require(EntityHistory(plan, named: "SDSleepStage"))
        #expect(
            Array(stage.names.prefix(plan.schemas.count)) == [nil, nil, nil]
                + Array(repeating: "SDSleepStage", count: 8))
        #expect(stage.attributes.allSatisfy { $0.steps.isEmpty && $0.columns.count == 1 })
    }

    @Test("S1_06: a version has one name for an entity, and knows no other version's")
    func everyVersionHasItsOwnNamesOnly() {
        for version in plan.schemas.indices {
            let own = plan.projections[version].compactMap { $0?.name }
            #expect(Set(own).count == own.count)
            for other in plan.projections.flatMap({ $0.compactMap { $0?.name } }) where !own.contains(other) {
                #expect(plan.projection(version: version, named: other) == nil)
            }
            for entity in plan.schemas[version].entities {
                for relationship in entity.relationships {
                    #expect(plan.schemas[version].entity(relationship.target) != nil)
                }
            }
        }
        #expect(plan.schemas[plan.newest].version == FitIQ.SchemaV11.versionIdentifier)
    }

    @Test func profileIsOneEntityThroughItsFourNames() {
        let names = [0, 8, 9, 10].map { plan.projections[$0][0]?.name }
        #expect(names == ["SDUserProfile", "SDUserProfileV9", "SDUserProfileV10", "SDUserProfileV11"])
        #expect(plan.hub.entities[0].table == "sd_user_profile")
    }

    @Test func everythingOfAProfileGoesWithIt() throws {
        let profile = try #require(plan.hub.entities.first { $0.table == "sd_user_profile" })
        let children = plan.hub.entities.filter {
            $0.references.contains { $0.target == profile.index && $0.diesWithTarget }
        }
        #expect(
            children.map(\.table) == [
                "sd_dietary_and_activity_preferences", "sd_physical_attribute", "sd_activity_snapshot",
                "sd_progress_entry",
                "sd_sleep_session", "sd_mood_entry", "sd_meal", "sd_photo_recognition", "sd_workout",
                "sd_workout_template",
            ])
    }
}
