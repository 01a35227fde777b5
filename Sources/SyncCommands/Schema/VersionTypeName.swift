import WireFormats

/// The name of a version's type in source text: `FitIQ.SchemaV11`, in the form that an extension of `FitIQ` uses.
struct VersionTypeName {
    let namespace: String?
    let name: String

    init(_ type: any VersionedSchema.Type) {
        // Module first, then the enclosing types.
        let parts = String(reflecting: type).split(separator: ".").dropFirst().map(String.init)
        name = parts.last ?? "\(type)"
        namespace = parts.count > 1 ? parts.dropLast().joined(separator: ".") : nil
    }

    /// The app's name as its sources spell it, such as `EasitOpen`: the type that its versions are in, or else the
    /// plan's own name without ‘Plan’.
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

    /// The name of the next version's type: `SchemaV11` → `SchemaV12`; if the digits spell the version number, as in
    /// `SchemaV200` for 2.0.0, those of the new number.
    func next(from old: Schema.Version, to new: Schema.Version) -> VersionTypeName {
        let stem = name.reversed().drop { $0.isASCII && $0.isNumber }.reversed().map(String.init).joined()
        let digits = String(name.dropFirst(stem.count))
        let isSpelled = digits == "\(old.major)\(old.minor)\(old.patch)"
        let number = isSpelled ? "\(new.major)\(new.minor)\(new.patch)" : "\((Int(digits) ?? 1) + 1)"
        return VersionTypeName(namespace: namespace, name: stem + number)
    }
}

extension Schema.Version {
    /// The next version number, one more in the last component that is not zero: 0.1.1 → 0.1.2, 2.0.0 → 3.0.0.
    var next: Schema.Version {
        if patch > 0 || self == Schema.Version(0, 0, 0) { return Schema.Version(major, minor, patch + 1) }
        return minor > 0 ? Schema.Version(major, minor + 1, 0) : Schema.Version(major + 1, 0, 0)
    }
}
