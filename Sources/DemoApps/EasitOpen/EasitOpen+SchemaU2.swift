public import WireFormats

extension EasitOpen {
    /// Version 0.0.2, the last build without a version number of its own; the number was chosen here. A user can now
    /// give a business another name.
    public enum SchemaU2: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 2)
        public static let models = Models {
            Inherits(SchemaU1.self)
            Model("Business") { Attribute("customLabel", .string.optional) }
        }
    }
}
