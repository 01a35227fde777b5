public import WireFormats

extension AllesTeurer {
    /// Version 3.0.0, which the app plans. Each model gets the attribute `id`, whose value is the record's id on this
    /// server. It also gets a local attribute for the time of the latest sync.
    public enum SchemaV3: VersionedSchema {
        public static let versionIdentifier = Schema.Version(3, 0, 0)
        public static let models = Models {
            Inherits(SchemaV2.self)
            Model("Product") {
                Identity("id")
                // The device's own last exchange with a server. If shared, each sync would cause the next.
                Attribute("lastSynced", .date.optional, scope: .local)
            }
            Model("Purchase") {
                Identity("id")
                Attribute("lastSynced", .date.optional, scope: .local)
            }
        }
    }
}
