/// Decides whether a removed and an added entity or attribute look like a renaming that was not declared.
///
/// Such a renaming would go unnoticed: the new name would be another attribute, and older versions would no longer read
/// what newer ones write. So the plan's check asks in every doubtful case. If it is no renaming, a `Distinct` statement
/// answers in one line.
enum Similarity {
    /// Returns true if half of the attributes of the smaller entity are in the other, with the same name and type, or
    /// if the entities' names are spellings of one another. If an entity has no attributes, true if the names share a
    /// word.
    static func ofEntities(_ a: Schema.Entity, _ b: Schema.Entity) -> Bool {
        let shared = a.fields.filter { x in b.fields.contains { $0.name == x.name && $0.type.kind == x.type.kind } }
            .count
        let smaller = min(a.fields.count, b.fields.count)
        if smaller == 0 { return haveWordInCommon(a.name, b.name) }
        return shared * 2 >= smaller || areSpellings(a.name, b.name)
    }

    /// Returns true if the added attribute `b` looks like the removed attribute `a` under a new name.
    ///
    /// This is so if the names are spellings of one another, such as `note` and `notes`. It is also so if both have the
    /// same type and one of these holds: they are references, their names share a word, or they stand between the same
    /// two attributes.
    ///
    /// - Parameters:
    ///   - a: an attribute of `before` that is removed.
    ///   - b: an attribute of `after` that is added.
    static func ofAttributes(
        _ a: Schema.Attribute, in before: Schema.Entity, _ b: Schema.Attribute, in after: Schema.Entity
    ) -> Bool {
        if areSpellings(a.name, b.name) { return true }
        guard a.type.kind == b.type.kind else { return false }
        if case .reference = a.type.kind { return true }
        return haveWordInCommon(a.name, b.name) || isInPlace(a, of: before, taken: b, in: after)
    }

    /// Returns true if `b` stands between the same two attributes as `a` did.
    private static func isInPlace(
        _ a: Schema.Attribute, of before: Schema.Entity, taken b: Schema.Attribute, in after: Schema.Entity
    ) -> Bool {
        guard let old = neighbours(of: a.name, before.fields.map(\.name)),
            let new = neighbours(of: b.name, after.fields.map { $0.originalName ?? $0.name })
        else { return false }
        return old == new
    }

    /// The names directly before and after `name`. `nil` if `name` is the first or the last, because one neighbour
    /// alone is too little evidence of a renaming.
    private static func neighbours(of name: String, _ names: [String]) -> [String]? {
        guard let index = names.firstIndex(of: name), index > 0, index + 1 < names.count else { return nil }
        return [names[index - 1], names[index + 1]]
    }

    private static func haveWordInCommon(_ a: String, _ b: String) -> Bool {
        let others = words(b)
        return words(a).contains { word in others.contains { areAlike(word, $0) } }
    }

    /// Returns true if the two names consist of the same words in the same order. A word may have different forms in
    /// the two, such as singular and plural.
    private static func areSpellings(_ a: String, _ b: String) -> Bool {
        let (a, b) = (snakeCase(a).split(separator: "_"), snakeCase(b).split(separator: "_"))
        return a.count == b.count && zip(a, b).allSatisfy { areForms(String($0), String($1)) }
    }

    /// Returns true if `a` and `b` are one word, in two forms or shortened.
    private static func areAlike(_ a: String, _ b: String) -> Bool {
        if areForms(a, b) { return true }
        let (shorter, longer) = a.count < b.count ? (a, b) : (b, a)
        return shorter.count >= prefixMin && longer.hasPrefix(shorter)
    }

    /// Returns true if `a` and `b` are one word in two forms: singular and plural, or two spellings.
    private static func areForms(_ a: String, _ b: String) -> Bool {
        if a == b || stem(a) == stem(b) { return true }
        let longest = max(a.count, b.count)
        let allowed = longest >= 8 ? 2 : longest >= 5 ? 1 : 0
        return abs(a.count - b.count) <= allowed && distance(Array(a.utf8), Array(b.utf8)) <= allowed
    }

    /// The least number of letters that identify a shortened word: `desc` for `description`.
    private static let prefixMin = 4

    /// A word without its English plural ending.
    private static func stem(_ word: String) -> String {
        if word.count > 4, word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        if word.count > 4, ["ches", "shes", "sses", "xes"].contains(where: word.hasSuffix) {
            return String(word.dropLast(2))
        }
        return word.count > 2 && word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
    }

    /// The Levenshtein distance: the number of bytes to insert, delete or replace to make one word of the other.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let replaced = diagonal + (x == y ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }

    /// The words of a camel-case name, without words that carry little meaning, such as ‘is’ and ‘the’.
    private static func words(_ name: String) -> Set<String> {
        Set(snakeCase(name).split(separator: "_").map(String.init)).subtracting(["id", "at", "is", "g", "total", "the"])
    }
}
