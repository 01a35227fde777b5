public import WireFormats

extension EasitOpen {
    /// A business may have a name that its user gives it. The last build without a number; this one is ours.
    public enum SchemaU2: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 2)
        public static let models = Models {
            Inherits(SchemaU1.self)
            Model("Business") { Attribute("customLabel", .string.optional) }
        }
    }
}
