import DemoApps
import Testing

@testable import WireFormats

/// The columns that `Migrations/fitiq` must create, in their order.
@Suite struct FitIQHubTests {
    let hub: Hub

    init() throws {
        hub = try Plan(FitIQPlan.self).hub
    }

    @Test func tablesAreInTheOrderOfTheirVersions() {
        #expect(
            hub.entities.map(\.table) == [
                "sd_user_profile", "sd_dietary_and_activity_preferences", "sd_physical_attribute",
                "sd_activity_snapshot",
                "sd_progress_entry", "sd_sleep_session", "sd_sleep_stage", "sd_mood_entry", "sd_meal",
                "sd_meal_log_item",
                "sd_photo_recognition", "sd_recognized_food_item", "sd_workout", "sd_workout_template",
                "sd_template_exercise",
            ])
        // One of them exists only in the first variant of 0.1.0.
        #expect(hub.entities.reduce(0) { $0 + $1.columns.count } == 206)
    }

    @Test func quantityTextKeepsAColumnBesideItsNumberAndUnit() {
        expect(
            "sd_meal_log_item",
            """
            name text not null 6-11
            quantity text not null 6-7
            calories double precision not null 6-11
            protein double precision not null 6-11
            carbs double precision not null 6-11
            fat double precision not null 6-11
            fiber_g double precision 6-11
            sugar_g double precision 6-11
            confidence double precision 6-11
            parsing_notes text 6-11
            order_index bigint not null 6-11
            created_at timestamp with time zone not null 6-11
            backend_id text 6-11
            meal_log uuid 6-11
            food_type text not null 7-11
            quantity_v8 double precision not null 8-11
            unit text not null 8-11
            together: quantity, quantity_v8, unit
            """)
    }

    @Test func moodKeepsItsValenceBesideItsScore() {
        expect(
            "sd_mood_entry",
            """
            user_id text not null 5-5
            valence double precision 5-9
            labels json not null 5-9
            associations json not null 5-9
            date timestamp with time zone not null 5-11
            notes text 5-11
            created_at timestamp with time zone not null 5-11
            updated_at timestamp with time zone 5-11
            backend_id text 5-11
            sync_status text not null 5-11
            source_id text 5-9
            user_profile uuid 5-11
            value bigint not null 10-11
            together: valence, value
            """)
    }

    @Test func recognizedFoodLoosensInPlaceAndGainsFractionalCalories() {
        expect(
            "sd_recognized_food_item",
            """
            name text not null 9-11
            quantity double precision 9-11
            unit text 9-11
            calories bigint not null 9-9
            protein_g double precision not null 9-11
            carbs_g double precision not null 9-11
            fat_g double precision not null 9-11
            fiber_g double precision 9-11
            sugar_g double precision 9-11
            confidence_score double precision 9-11
            order_index bigint not null 9-11
            photo_recognition uuid 9-11
            calories_v10 double precision not null 10-11
            created_at timestamp with time zone not null 10-11
            together: calories, calories_v10
            """)
    }

    @Test func photoRecognitionKeepsWhatVersion10Drops() {
        expect(
            "sd_photo_recognition",
            """
            user_id text not null 9-9
            image_url text 9-11
            meal_type text not null 9-9
            status text not null 9-11
            confidence_score double precision 9-9
            needs_review boolean not null 9-9
            total_calories bigint 9-9
            total_protein_g double precision 9-9
            total_carbs_g double precision 9-9
            total_fat_g double precision 9-9
            total_fiber_g double precision 9-9
            total_sugar_g double precision 9-9
            logged_at timestamp with time zone not null 9-9
            notes text 9-9
            error_message text 9-11
            processing_started_at timestamp with time zone 9-9
            processing_completed_at timestamp with time zone 9-11
            created_at timestamp with time zone not null 9-11
            updated_at timestamp with time zone 9-11
            backend_id text 9-11
            sync_status text not null 9-11
            meal_log_id uuid 9-9
            user_profile uuid 9-11
            raw_response text 10-11
            """)
    }

    @Test func profileKeepsItsFirstNames() {
        expect(
            "sd_user_profile",
            """
            name text not null 1-11
            bio text 1-9
            preferred_unit_system text not null 1-11
            language_code text 1-9
            date_of_birth timestamp with time zone 1-11
            biological_sex text 1-11
            created_at timestamp with time zone not null 1-11
            updated_at timestamp with time zone 1-11
            has_performed_initial_health_kit_sync boolean not null 1-11
            last_successful_daily_sync_date timestamp with time zone 1-11
            dietary_and_activity_preferences uuid 1-11
            email text not null 10-11
            daily_calorie_goal double precision 10-11
            """)
    }

    /// - Parameter columns: each column with its type and the first and last of the plan's versions that have it,
    ///   numbered from 1; then the columns that merge as one.
    private func expect(
        _ table: String, _ columns: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let entity = hub.entities.first { $0.table == table }
        let lines = entity?.columns.map { column in
            "\(column.name) \(column.type.rawValue)\(column.isNullable ? "" : " not null") "
                + "\(column.introduced + 1)-\(column.lastUsed + 1)"
        }
        let units = entity?.units.filter { $0.columns.count > 1 }.map { unit in
            "together: " + unit.columns.map { entity?.columns[$0].name ?? "" }.joined(separator: ", ")
        }
        #expect(((lines ?? []) + (units ?? [])).joined(separator: "\n") == columns, sourceLocation: sourceLocation)
    }
}
