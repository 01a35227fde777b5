import SourceFacts

/// The list of types that is the value of a property in the sources, such as `[Trip.self] + SchemaV1.models`. It
/// includes the types that are listed under an `#if`.
struct TypeList {
    struct Element {
        /// The name of the type, as the source text of the list spells it.
        let name: String
        /// The type's index in the source index (`SourceIndex`); `nil` if the sources have no such type.
        let node: Int?
        /// The location of the list that contains the type.
        let location: SourceLocation
        /// The `#if` condition under which the list contains the type; `nil` if it does in every build.
        fileprivate(set) var condition: String?

        fileprivate var key: [String] { [node.map(String.init) ?? "", node == nil ? name : ""] }
    }

    /// A part of a list in the sources that cannot be read.
    struct Gap {
        let location: SourceLocation
        /// The source text of the unreadable part, shortened and on one line; `nil` if the list is not a single
        /// expression but is built by statements.
        let text: String?
    }

    private(set) var elements: [Element] = []
    private(set) var gaps: [Gap] = []
    /// The location of a second, different declaration of the property, if no `#if` tells the two apart; otherwise
    /// `nil`.
    private(set) var second: SourceLocation?
    private let index: SourceIndex
    /// The lists that have been read already. They are kept, because a version's list is often made from that of the
    /// previous version.
    private var known: [Key: [Element]] = [:]
    private var open: Set<Key> = []

    private struct Key: Hashable {
        let name: String
        let node: Int
    }

    /// The maximum depth of lists that are made of other lists. It is far more than the number of an app's versions.
    private static let depthMax = 256
    private static let textMax = 60

    /// Reads the list of types that is the value of the property `name`.
    ///
    /// - Parameter name: a property of the type `node`. If the type has no such property, the list is empty.
    init(_ name: String, of node: Int, in index: SourceIndex) {
        self.index = index
        elements = read(name, of: node) ?? []
    }

    /// Returns the types in the list that is the value of the property `name`; `nil` if there is no such property.
    private mutating func read(_ name: String, of node: Int) -> [Element]? {
        var declared = index.declarations(of: name, in: node)
        guard let first = declared.first else { return nil }
        let key = Key(name: name, node: node)
        if let found = known[key] { return found }
        guard open.count < TypeList.depthMax, open.insert(key).inserted else {
            let text = open.contains(key) ? "itself" : "more than \(TypeList.depthMax) lists"
            gaps.append(Gap(location: first.property.location, text: text))
            return []
        }
        defer { open.remove(key) }
        if let other = declared.dropFirst().first(where: { $0.condition == nil }), first.condition == nil {
            if other.property.value != first.property.value { second = other.property.location }
            declared = [first]
        }
        var lists: [(elements: [Element], condition: String?)] = []
        for (property, condition) in declared {
            let elements = read(property.value, in: node, at: property.location)
            lists.append((elements, condition))
        }
        let joined = TypeList.joined(lists)
        known[key] = joined
        return joined
    }

    /// Merges lists of which each applies under its own `#if` condition. A type that is in all lists is unconditional;
    /// any other type gets the conditions of the lists that have it, joined by “or”.
    private static func joined(_ lists: [(elements: [Element], condition: String?)]) -> [Element] {
        var joined: [Element] = []
        var keys: Set<[String]> = []
        for element in lists.flatMap(\.elements) where keys.insert(element.key).inserted {
            var conditions: [String] = []
            var isEverywhere = true
            for list in lists {
                let found = list.elements.filter { $0.key == element.key }.map(\.condition)
                if !found.contains(nil) { isEverywhere = false }
                for condition in found.contains(nil) ? [nil] : found {
                    conditions.append([list.condition, condition].compactMap(\.self).joined(separator: " and "))
                }
            }
            var element = element
            element.condition = isEverywhere ? nil : conditions.joined(separator: " or ")
            joined.append(element)
        }
        return joined
    }

    private mutating func read(
        _ value: ExpressionFact?, in scope: Int, at location: SourceLocation
    ) -> [Element] {
        switch value {
        case nil:
            gaps.append(Gap(location: location, text: nil))
            return []
        case .array(let elements):
            return elements.flatMap { element -> [Element] in
                guard case .member(let name?, "self", _) = element else { return gap(element.text, location) }
                return [type(name, in: scope, at: location)]
            }
        case .member(let base, let name, _) where name != "self":
            // A list of another type, or one of which several lists are made.
            let node = base.map { index.lookup($0, from: scope) } ?? scope
            return node.flatMap { read(name, of: $0) } ?? gap(value?.text ?? name, location)
        case .other(let text):
            let parts = TypeText.parts(text, at: "+")
            guard parts.count > 1 else { return gap(text, location) }
            return parts.flatMap { sum($0, in: scope, at: location) }
        case let other?: return gap(other.text, location)
        }
    }

    /// Reads one operand of a sum of lists, such as `SchemaV1.models` in `[Trip.self] + SchemaV1.models`.
    private mutating func sum(_ part: String, in scope: Int, at location: SourceLocation) -> [Element] {
        if part.hasPrefix("["), part.hasSuffix("]") {
            let names = TypeText.parts(String(part.dropFirst().dropLast()), at: ",").filter { !$0.isEmpty }
            return names.flatMap { name -> [Element] in
                guard name.hasSuffix(".self") else { return gap(name, location) }
                return [type(String(name.dropLast(5)), in: scope, at: location)]
            }
        }
        let words = part.split(separator: ".").map(String.init)
        guard let name = words.last, part.allSatisfy({ $0.isLetter || $0.isNumber || "._".contains($0) }) else {
            return gap(part, location)
        }
        let base = words.count > 1 ? words.dropLast().joined(separator: ".") : nil
        return read(.member(base: base, name: name, isImplicit: false), in: scope, at: location)
    }

    private func type(_ name: String, in scope: Int, at location: SourceLocation) -> Element {
        Element(name: name, node: index.lookup(name, from: scope), location: location)
    }

    private mutating func gap(_ text: String, _ location: SourceLocation) -> [Element] {
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        let isLong = words.count > TypeList.textMax
        gaps.append(Gap(location: location, text: isLong ? "\(words.prefix(TypeList.textMax))…" : words))
        return []
    }
}
