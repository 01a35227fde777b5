public import WireFormats

extension FitIQ {
    /// The first form of version 0.1.0, which pilot users had. The app's developers then restored some of the earlier
    /// names, but kept the version number.
    ///
    /// Only the project's documents describe this form. It crashed when it stored data, so its devices hold few
    /// records. But they may hold diary entries that were never sent.
    ///
    /// Its preferences referred to the profile class of version 0.0.9 by mistake. This does not affect requests,
    /// because a reference is sent as an id. Unique ids and required to-many relationships do not affect requests
    /// either.
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
