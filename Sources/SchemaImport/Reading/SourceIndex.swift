import SourceFacts

/// An index of the types in one snapshot of the sources. It finds the type that a name denotes in the scope in which
/// the name is written.
struct SourceIndex: Sendable {
    /// A type with its declaration, its extensions and the types nested in it. It is identified by its index in
    /// `nodes`.
    struct Node: Sendable {
        let name: String
        let parent: Int?
        var facts: [TypeFact] = []
        var children: [String: Int] = [:]

        /// The type's declaration; `nil` for a type that only has extensions here, such as a framework's type.
        var declaration: TypeFact? { facts.first { $0.kind != .extension } }

        /// The types that the type inherits from or conforms to, by its declaration or an extension.
        var inherited: [TypeReference] { facts.flatMap(\.inherited) }

        var properties: [PropertyFact] { facts.flatMap(\.properties) }

        /// The initializers and methods of the type and its extensions, each as its name with the argument labels:
        /// `encode(to:)`.
        var functions: Set<String> { Set(facts.flatMap(\.functions)) }

        var isModel: Bool {
            declaration.map { $0.kind == .class && $0.attributes.contains { $0.name.isNamed("Model") } } ?? false
        }
    }

    private(set) var nodes = [Node(name: "", parent: nil)]
    let problems: [SourceFacts.Problem]

    /// The index in `nodes` of the outermost scope, which contains all top-level types.
    static let root = 0

    /// The maximum number of type aliases that are followed. A longer chain means that an alias refers to itself.
    private static let aliasesMax = 16

    init(_ facts: SourceFacts) {
        problems = facts.problems
        for type in facts.types where type.kind != .extension { add(type, to: SourceIndex.root) }
        // Extensions come afterwards, when the types that they extend exist.
        for type in facts.types where type.kind == .extension { extend(type) }
    }

    private mutating func add(_ fact: TypeFact, to parent: Int) {
        guard let fact = fact.withSwiftData else { return }
        let node = child(fact.name, of: parent)
        nodes[node].facts.append(fact)
        for type in fact.types { add(type, to: node) }
    }

    private mutating func extend(_ fact: TypeFact) {
        guard let fact = fact.withSwiftData else { return }
        var name = fact.name
        var known = lookup(name, from: SourceIndex.root)
        // An extension of an alias extends the aliased type.
        for _ in 0..<SourceIndex.aliasesMax {
            guard let alias = known, case .named(let target, _) = nodes[alias].declaration?.target else { break }
            name = target
            known = lookup(name, from: nodes[alias].parent ?? SourceIndex.root)
        }
        var node = known ?? SourceIndex.root
        if known == nil {
            for part in FrameworkTypes.bare(name).split(separator: ".") { node = child(String(part), of: node) }
        }
        nodes[node].facts.append(fact)
        for type in fact.types { add(type, to: node) }
    }

    private mutating func child(_ name: String, of parent: Int) -> Int {
        if let known = nodes[parent].children[name] { return known }
        nodes.append(Node(name: name, parent: parent))
        nodes[parent].children[name] = nodes.count - 1
        return nodes.count - 1
    }

    /// Returns the index of the type that `name` denotes inside `scope`; `nil` if there is none. Nested types are
    /// searched first, then those of the enclosing scopes. An alias is followed to the type that it stands for. If the
    /// sources do not declare that type, returns the alias itself.
    func lookup(_ name: String, from scope: Int) -> Int? {
        lookup(name.split(separator: ".").map(String.init)[...], from: scope, aliases: 0)
    }

    private func lookup(_ parts: ArraySlice<String>, from scope: Int, aliases: Int) -> Int? {
        guard let first = parts.first, aliases < SourceIndex.aliasesMax else { return nil }
        if first == "Self" { return descend(parts.dropFirst(), from: scope, aliases: aliases) }
        var next: Int? = scope
        while let here = next {
            if let found = nodes[here].children[first] {
                return descend(parts.dropFirst(), from: found, aliases: aliases)
            }
            next = nodes[here].parent
        }
        // The name may begin with the app's own module: `MyApp.Trip`.
        return parts.count > 1 && scope == SourceIndex.root && !FrameworkTypes.modules.contains(first)
            ? lookup(parts.dropFirst(), from: scope, aliases: aliases + 1) : nil
    }

    private func descend(_ parts: ArraySlice<String>, from node: Int, aliases: Int) -> Int? {
        var here = node
        if let target = nodes[node].declaration?.target {
            guard case .named(let name, _) = target else { return parts.isEmpty ? node : nil }
            let path = name.split(separator: ".").map(String.init)
            guard
                let found = lookup(path[...], from: nodes[node].parent ?? SourceIndex.root, aliases: aliases + 1)
            else { return parts.isEmpty ? node : nil }
            // The sources at most extend the aliased type, so the alias is returned.
            if parts.isEmpty, nodes[found].declaration == nil { return node }
            here = found
        }
        guard let next = parts.first else { return here }
        guard let found = nodes[here].children[next] else { return nil }
        return descend(parts.dropFirst(), from: found, aliases: aliases)
    }

    /// Returns the type that an alias stands for, which may be a framework's type that the sources only extend. Returns
    /// a type that is no alias unchanged.
    func underlying(_ node: Int) -> Int {
        var here = node
        for _ in 0..<SourceIndex.aliasesMax {
            guard case .named(let name, _) = nodes[here].declaration?.target,
                let found = lookup(FrameworkTypes.bare(name), from: nodes[here].parent ?? SourceIndex.root),
                found != here
            else { return here }
            here = found
        }
        return here
    }

    /// Returns the `#if` condition of a type's declaration. If it has none, returns that of the nearest enclosing type
    /// that has one; `nil` if the type exists in every build.
    func condition(_ node: Int) -> String? {
        nodes[node].declaration?.condition ?? nodes[node].parent.flatMap { condition($0) }
    }

    /// Returns the declarations of the property `name` in a type and its extensions, each with its `#if` condition.
    /// There are several if they depend on an `#if`.
    func declarations(of name: String, in node: Int) -> [(property: PropertyFact, condition: String?)] {
        let facts = nodes[node].facts
        return facts.flatMap { fact in
            fact.properties.filter { $0.name == name }.map { property in
                // The condition of a type's only part is the condition of the type itself.
                let conditions = [facts.count > 1 ? fact.condition : nil, property.condition].compactMap(\.self)
                return (property, conditions.isEmpty ? nil : conditions.joined(separator: " and "))
            }
        }
    }

    /// Returns the model that a class inherits from; `nil` if there is none, or if the inheritance is circular.
    func superclass(_ node: Int) -> Int? { superclasses(of: node).first }

    /// Returns the models from which a class inherits, the nearest first; empty if there are none, or if the
    /// inheritance is circular.
    func superclasses(of node: Int) -> [Int] {
        var chain: [Int] = []
        var here = node
        while case .named(let name, _) = nodes[here].facts.first(where: { $0.kind == .class })?.inherited.first,
            let above = lookup(name, from: nodes[here].parent ?? SourceIndex.root), nodes[above].isModel
        {
            guard above != node, !chain.contains(above) else { return [] }
            chain.append(above)
            here = above
        }
        return chain
    }

    /// Returns the name of a type with its enclosing types: `SchemaV1.Trip`.
    func path(_ node: Int) -> String {
        guard let parent = nodes[node].parent else { return "" }
        return parent == SourceIndex.root ? nodes[node].name : "\(path(parent)).\(nodes[node].name)"
    }

    /// Returns true if a type conforms to all of the protocols `names`, directly or through protocols that the sources
    /// declare.
    func conforms(_ node: Int, to names: [String]) -> Bool {
        var found: Set<String> = []
        var seen: Set<Int> = [node]
        var queue = [node]
        while let next = queue.popLast() {
            for case .named(let name, _) in nodes[next].inherited {
                found.insert(name.split(separator: ".").last.map(String.init) ?? name)
                guard let above = lookup(name, from: nodes[next].parent ?? SourceIndex.root),
                    nodes[above].declaration?.kind == .protocol, seen.insert(above).inserted
                else { continue }
                queue.append(above)
            }
        }
        return names.allSatisfy(found.contains)
    }

    /// Returns true if a type conforms to `Codable`, or to both `Encodable` and `Decodable`.
    func isCodable(_ node: Int) -> Bool {
        conforms(node, to: ["Codable"]) || conforms(node, to: ["Encodable", "Decodable"])
    }

    /// All `@Model` types, in the order of the sources.
    var models: [Int] { nodes.indices.filter { nodes[$0].isModel } }
}

extension String {
    /// Returns true if the text is `name`, with or without the name of a module or type before it.
    func isNamed(_ name: String) -> Bool { self == name || hasSuffix(".\(name)") }
}

extension TypeReference {
    /// Returns true if this is the type `name`, with or without the name of a module or type before it.
    func isNamed(_ name: String) -> Bool {
        if case .named(let own, _) = self { own.isNamed(name) } else { false }
    }

    /// The type as written in Swift.
    var text: String {
        switch self {
        case .named(let name, let arguments):
            name + (arguments.isEmpty ? "" : "<\(arguments.map(\.text).joined(separator: ", "))>")
        case .optional(let type): "\(type.text)?"
        case .array(let type): "[\(type.text)]"
        case .dictionary(let key, let value): "[\(key.text): \(value.text)]"
        case .other(let text): text
        }
    }
}
