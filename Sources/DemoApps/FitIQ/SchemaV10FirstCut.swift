public import WireFormats

extension FitIQ {
    /// The version that pilot users had as 0.1.0, before the names in it were restored under the same number.
    ///
    /// It is known only from what the project says about it. It crashed when it wrote, so its devices hold little. But
    /// the records that they hold, and have not sent, are somebody's diary.
    ///
    /// Its preferences referred to the class of the profile of version 0.0.9. That was a fault of the store, but makes
    /// no difference in requests, because a reference is sent as an id. Unique ids and required to-many relationships
    /// make no difference in requests either.
    public enum SchemaV10FirstCut: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 1, 0)
        public static let models = Models {
            Inherits(SchemaV10.self)
            Model("SDSleepSession") {
                Removed("date")
                Attribute("startDate", .date, default: .creation, originalName: "startTime")
                Attribute("endDate", .date, default: .creation, originalName: "endTime")
            }
            Model("SDMeal") {
                Removed("status", "errorMessage")
                Attribute("date", .date, default: .creation, originalName: "loggedAt")
                // The attribute's type is not on record. An optional text makes the fewest assumptions.
                Attribute("name", .string.optional)
            }
            Model("SDMealLogItem") {
                Removed("foodType", "parsingNotes")
                Attribute("foodName", .string, default: "", originalName: "name")
                Attribute("proteinG", .double, default: 0.0, originalName: "protein")
                Attribute("carbsG", .double, default: 0.0, originalName: "carbs")
                Attribute("fatG", .double, default: 0.0, originalName: "fat")
            }
        }
    }
}
