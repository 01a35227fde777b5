public import WireFormats

extension EasitOpen {
    /// The last build without a version of its own: a business may have a name that its user gives it. Its number was
    /// given here, not by the app.
    public enum SchemaU2: VersionedSchema {
        public static let versionIdentifier = Schema.Version(0, 0, 2)
        public static let models = Models {
            Inherits(SchemaU1.self)
            Model("Business") { Attribute("customLabel", .string.optional) }
        }
    }
}
