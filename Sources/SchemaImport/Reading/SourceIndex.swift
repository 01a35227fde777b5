import SourceFacts

/// The types of one state of the sources, by their paths: what a name means where it is written.
struct SourceIndex: Sendable {
    /// A type: its declaration, its extensions, and the types inside. Known by its place in `nodes`.
    struct Node: Sendable {
        let name: String
        let parent: Int?
        var facts: [TypeFact] = []
        var children: [String: Int] = [:]

        /// What declares it, extensions aside; `nil` for what only extensions name, such as a framework's type.
        var declaration: TypeFact? { facts.first { $0.kind != .extension } }

        /// All that its declaration and its extensions conform to.
        var inherited: [TypeReference] { facts.flatMap(\.inherited) }

        var properties: [PropertyFact] { facts.flatMap(\.properties) }

        /// The initializers and methods of the type, those of its extensions included.
        var functions: Set<String> { Set(facts.flatMap(\.functions)) }

        var isModel: Bool {
            declaration.map { $0.kind == .class && $0.attributes.contains { $0.name.isNamed("Model") } } ?? false
        }
    }

    private(set) var nodes = [Node(name: "", parent: nil)]
    let problems: [SourceFacts.Problem]

    /// The place in `nodes` of what has no type around it.
    static let root = 0

    /// A typealias may lead to another one; so many steps are one that leads to itself.
    private static let aliasesMax = 16

    init(_ facts: SourceFacts) {
        problems = facts.problems
        for type in facts.types where type.kind != .extension { add(type, to: SourceIndex.root) }
        // Afterwards, so that what they extend is there.
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
        // What extends an alias of a framework's type extends that type.
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

    /// The type that `name` means inside of `scope`: its own nested ones first, then those around it. An alias is what
    /// it stands for; or the alias itself, where that is a framework's, which the sources do not declare.
    func lookup(_ name: String, from scope: Int) -> Int? {
        lookup(name.split(separator: ".").map(String.init)[...], from: scope, aliases: 0)
    }

    private func lookup(_ parts: ArraySlice<String>, from scope: Int, aliases: Int) -> Int? {
        guard let first = parts.first, aliases < SourceIndex.aliasesMax else { return nil }
        if first == "Self" { return descend(parts.dropFirst(), from: scope, aliases: aliases) }
        var place: Int? = scope
        while let here = place {
            if let found = nodes[here].children[first] {
                return descend(parts.dropFirst(), from: found, aliases: aliases)
            }
            place = nodes[here].parent
        }
        // The app's own module before it: `MyApp.Trip`.
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
            // The sources at most extend it, and the alias says what it is.
            if parts.isEmpty, nodes[found].declaration == nil { return node }
            here = found
        }
        guard let next = parts.first else { return here }
        guard let found = nodes[here].children[next] else { return nil }
        return descend(parts.dropFirst(), from: found, aliases: aliases)
    }

    /// The type that an alias stands for, also where the sources only extend it; any other type itself.
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

    /// The condition under which a type is there: its own, or that of a type around it.
    func condition(_ node: Int) -> String? {
        nodes[node].declaration?.condition ?? nodes[node].parent.flatMap { condition($0) }
    }

    /// The declarations of `name` in a type and its extensions: more than one where an `#if` tells which.
    func declarations(of name: String, in node: Int) -> [(property: PropertyFact, condition: String?)] {
        let facts = nodes[node].facts
        return facts.flatMap { fact in
            fact.properties.filter { $0.name == name }.map { property in
                // That of a type's only part is the type's.
                let conditions = [facts.count > 1 ? fact.condition : nil, property.condition].compactMap(\.self)
                return (property, conditions.isEmpty ? nil : conditions.joined(separator: " and "))
            }
        }
    }

    /// The model that a class inherits from; `nil` where that would lead back to the class.
    func superclass(_ node: Int) -> Int? { superclasses(of: node).first }

    /// The models above a class, the nearest first; none where they go round.
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

    /// `SchemaV1.Trip`
    func path(_ node: Int) -> String {
        guard let parent = nodes[node].parent else { return "" }
        return parent == SourceIndex.root ? nodes[node].name : "\(path(parent)).\(nodes[node].name)"
    }

    /// Whether a type conforms to what `names` are together, itself or through protocols of the sources.
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

    /// Whether a type conforms to `Codable`, or to both of its halves.
    func isCodable(_ node: Int) -> Bool {
        conforms(node, to: ["Codable"]) || conforms(node, to: ["Encodable", "Decodable"])
    }

    /// Every type that is a `@Model`, in the order of the sources.
    var models: [Int] { nodes.indices.filter { nodes[$0].isModel } }
}

extension String {
    /// Whether it is `name`, with or without a module before it.
    func isNamed(_ name: String) -> Bool { self == name || hasSuffix(".\(name)") }
}

extension TypeReference {
    /// Whether it is the type `name`, with or without a module before it.
    func isNamed(_ name: String) -> Bool {
        if case .named(let own, _) = self { own.isNamed(name) } else { false }
    }

    /// As it is written in Swift.
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
