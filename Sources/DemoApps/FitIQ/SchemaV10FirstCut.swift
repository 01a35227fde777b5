public import WireFormats

extension FitIQ {
    /// What pilot users had as 0.1.0 before its names were restored under the same number.
    ///
    /// Known from the project's own account only. It crashed when it wrote, so devices of it hold little; but what they
    /// hold, and what they had not sent, is somebody's diary.
    ///
    /// Its preferences referred to the class of the profile of 0.0.9, which is a fault of the store and no difference
    /// on the wire: a reference travels as an id. That ids were unique and to-many relationships required does not
    /// travel either.
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
                // Its type is not on record. A text that may be missing promises the least.
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
