import SourceFacts

extension TypeFact {
    /// The type as it is in builds that can import SwiftData; `nil` if the type exists only in other builds.
    ///
    /// Code that an app shares with other platforms uses `#if canImport(SwiftData)`. The import evaluates this
    /// condition itself, and does not ask the user about it.
    var withSwiftData: TypeFact? {
        var fact = self
        guard Conditions.keep(&fact.condition) else { return nil }
        fact.attributes = attributes.compactMap(\.withSwiftData)
        fact.properties = properties.compactMap { property in
            var property = property
            guard Conditions.keep(&property.condition) else { return nil }
            property.attributes = property.attributes.compactMap(\.withSwiftData)
            return property
        }
        fact.macros = macros.compactMap { macro in
            var macro = macro
            return Conditions.keep(&macro.condition) ? macro : nil
        }
        return fact
    }
}

extension AttributeFact {
    fileprivate var withSwiftData: AttributeFact? {
        var fact = self
        return Conditions.keep(&fact.condition) ? fact : nil
    }
}

private enum Conditions {
    /// Returns false if the condition is false in every build with SwiftData. Otherwise removes from it the terms that
    /// are always true in such a build.
    static func keep(_ condition: inout String?) -> Bool {
        let terms = condition?.components(" and ") ?? []
        guard !terms.contains("not canImport(SwiftData)") else { return false }
        let others = terms.filter { $0 != "canImport(SwiftData)" }
        condition = others.isEmpty ? nil : others.joined(separator: " and ")
        return true
    }
}
