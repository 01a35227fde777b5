import WireFormats

/// The name of a version's type as written in source text: `FitIQ.SchemaV11`, or `SchemaV11` inside an extension of
/// `FitIQ`.
struct VersionTypeName {
    let namespace: String?
    let name: String

    init(_ type: any VersionedSchema.Type) {
        // Module first, then the enclosing types.
        let parts = String(reflecting: type).split(separator: ".").dropFirst().map(String.init)
        name = parts.last ?? "\(type)"
        namespace = parts.count > 1 ? parts.dropLast().joined(separator: ".") : nil
    }

    /// Returns the app's name as spelled in its sources, such as `EasitOpen`. It is the name of the type in which the
    /// versions' types are nested. If they are not nested in a type, it is the plan's name without ‘Plan’.
    static func app(_ plan: any SchemaMigrationPlan.Type) -> String {
        let space = plan.schemas.first.flatMap { VersionTypeName($0).namespace }?.split(separator: ".").last
        if let space { return String(space) }
        let own = "\(plan)"
        let endings = ["SchemaMigrationPlan", "MigrationPlan", "Plan"]
        let stem = endings.first { own.hasSuffix($0) && own.count > $0.count }.map { String(own.dropLast($0.count)) }
        return stem ?? SwiftName.type(plan.app)
    }

    private init(namespace: String?, name: String) {
        self.namespace = namespace
        self.name = name
    }

    var path: String { (namespace.map { "\($0)." } ?? "") + name }

    /// Returns the type name of the next version: `SchemaV11` → `SchemaV12`. If the digits are those of the version
    /// number `old`, as in `SchemaV200` for 2.0.0, they become those of the new number.
    func next(from old: Schema.Version, to new: Schema.Version) -> VersionTypeName {
        let stem = name.reversed().drop { $0.isASCII && $0.isNumber }.reversed().map(String.init).joined()
        let digits = String(name.dropFirst(stem.count))
        let isSpelled = digits == "\(old.major)\(old.minor)\(old.patch)"
        let number = isSpelled ? "\(new.major)\(new.minor)\(new.patch)" : "\((Int(digits) ?? 1) + 1)"
        return VersionTypeName(namespace: namespace, name: stem + number)
    }
}

extension Schema.Version {
    /// The next version number. Its last component that is not zero is increased by one: 0.1.1 → 0.1.2, 2.0.0 → 3.0.0.
    var next: Schema.Version {
        if patch > 0 || self == Schema.Version(0, 0, 0) { return Schema.Version(major, minor, patch + 1) }
        return minor > 0 ? Schema.Version(major, minor + 1, 0) : Schema.Version(major + 1, 0, 0)
    }
}
