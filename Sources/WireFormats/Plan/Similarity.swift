/// Whether something removed and something added look like one thing renamed.
enum Similarity {
    /// Half of the smaller entity's attributes are in the other, by name and type.
    static func ofEntities(_ a: Schema.Entity, _ b: Schema.Entity) -> Bool {
        let shared = a.fields.filter { x in b.fields.contains { $0.name == x.name && $0.type.kind == x.type.kind } }
            .count
        let smaller = min(a.fields.count, b.fields.count)
        return smaller > 0 ? shared * 2 >= smaller : words(a.name).intersection(words(b.name)).count > 0
    }

    /// The same kind of value, and a word of the name in common.
    static func ofAttributes(_ a: Schema.Attribute, _ b: Schema.Attribute) -> Bool {
        guard a.type.kind == b.type.kind else { return false }
        if case .reference = a.type.kind { return true }
        return !words(a.name).intersection(words(b.name)).isEmpty
    }

    /// The words of a camel-case name that tell something.
    private static func words(_ name: String) -> Set<String> {
        Set(snakeCase(name).split(separator: "_").map(String.init)).subtracting(["id", "at", "is", "g", "total", "the"])
    }
}
