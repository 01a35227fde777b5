public import WireFormats

extension EasitOpen {
    /// Version 0.0.1, the first build: businesses and their opening hours. The app gave this build no version number;
    /// the number was chosen here.
    public enum SchemaU1: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 1)
        public static let models = Models {
            Model("Business") {
                Identity("id")
                Attribute("name", .string)
                Attribute("address", .string)
                Attribute("latitude", .double)
                Attribute("longitude", .double)
                Attribute("phoneNumber", .string.optional)
                Attribute("website", .string.optional)
                Attribute("dateAdded", .date)
                Relationship("openingHours", toMany: "DaySchedule", deleteRule: .cascade, inverse: "business")
            }
            // The model has no identity of its own: the device derives the record's id, see
            // `openingHours(of:onWeekdays:)`.
            Model("DaySchedule") {
                Attribute("weekday", .int, unit: "days, 1 is Sunday")
                // Closing may be the smaller number: after midnight.
                Attribute("openTime", .int, unit: "minutes since midnight")
                Attribute("closeTime", .int, unit: "minutes since midnight")
                Attribute("isClosed", .bool)
                Relationship("business", toOne: "Business")
            }
        }
    }
}
