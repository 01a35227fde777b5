public import WireFormats

extension AllesTeurer {
    /// Planned by the app: its models get the ids that records have had here all along, and say when they last synced.
    public enum SchemaV3: VersionedSchema {
        public static let versionIdentifier = Schema.Version(3, 0, 0)
        public static let models = Models {
            Inherits(SchemaV2.self)
            Model("Product") {
                Identity("id")
                // What one device knows about its own exchange with a server. Shared, each sync would cause the next.
                Attribute("lastSynced", .date.optional, scope: .local)
            }
            Model("Purchase") {
                Identity("id")
                Attribute("lastSynced", .date.optional, scope: .local)
            }
        }
    }
}
