public import WireFormats

extension EasitOpen {
    /// Version 1.0.0: a business also has its id at the provider of the data, and the time of its last refresh.
    ///
    /// In the app, `lastUpdated` was required and had no default, so every existing store was lost. Here, a business of
    /// an older version gets the time of its creation.
    public enum SchemaV100: VersionedSchema {
        public static let versionIdentifier = Schema.Version(1, 0, 0)
        public static let models = Models {
            Inherits(SchemaU2.self)
            Model("Business") {
                Attribute("googlePlaceId", .string.optional)
                Attribute("lastUpdated", .date, default: .creation)
                Attribute("lastChecked", .date.optional)
            }
        }
    }
}
