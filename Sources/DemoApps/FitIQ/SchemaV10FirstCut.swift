public import WireFormats

extension FitIQ {
    /// The version that pilot users had as 0.1.0, before its names were restored under the same number.
    ///
    /// It is known from the project's own account only. It crashed when it wrote, so its devices hold little; but the
    /// records that they hold, and had not sent, are somebody's diary.
    ///
    /// Its preferences referred to the class of the profile of 0.0.9. That is a fault of the store and no difference on
    /// the wire, because a reference is sent as an id. Unique ids and required to-many relationships make no difference
    /// on the wire either.
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
