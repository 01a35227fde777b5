public import WireFormats

extension EasitOpen {
    /// The first build: businesses and their opening hours. Its number is ours.
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
            // Has no identity of its own: the device derives the record's id, see `openingHours(of:onWeekdays:)`.
            Model("DaySchedule") {
                // 1 is Sunday, 7 is Saturday.
                Attribute("weekday", .int)
                // Minutes since midnight. Closing may be the smaller number: after midnight.
                Attribute("openTime", .int)
                Attribute("closeTime", .int)
                Attribute("isClosed", .bool)
                Relationship("business", toOne: "Business")
            }
        }
    }
}
